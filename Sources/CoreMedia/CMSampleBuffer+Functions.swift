// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Returns the picture of a frame, or nil.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The picture.
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { sbuf.imageBuffer }

/// Returns the bytes of audio samples, or nil.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The bytes.
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { sbuf.dataBuffer }

/// Returns the format of the samples.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The format.
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? {
    sbuf.formatDescription
}

/// Returns the item time of the first sample.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The time.
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
    sbuf.presentationTimeStamp
}

/// Returns an invalid time: the time at which samples are decoded is not known.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The time.
public func CMSampleBufferGetDecodeTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.decodeTimeStamp }

/// Returns the item time of the first sample.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The time.
public func CMSampleBufferGetOutputPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
    sbuf.outputPresentationTimeStamp
}

/// Returns the time for which the samples are presented.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The duration.
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }

/// Returns the number of samples.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The number.
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }

/// Returns the number of bytes of audio samples.
///
/// - Parameter sbuf: The buffer.
/// - Returns: The number.
public func CMSampleBufferGetTotalSampleSize(_ sbuf: CMSampleBuffer) -> Int { sbuf.totalSampleSize }

/// Returns whether the samples are available.
///
/// - Parameter sbuf: The buffer.
/// - Returns: True until the buffer is invalidated.
public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }

/// Returns whether the samples are available.
///
/// - Parameter sbuf: The buffer.
/// - Returns: True until the buffer is invalidated.
public func CMSampleBufferDataIsReady(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }

/// Releases the samples.
///
/// - Parameter sbuf: The buffer.
/// - Returns: 0.
@discardableResult
public func CMSampleBufferInvalidate(_ sbuf: CMSampleBuffer) -> OSStatus {
    sbuf.invalidate()
    return 0
}
