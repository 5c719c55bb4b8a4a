// The name is that of the C function.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Returns the largest rectangle of an aspect ratio that fits into another rectangle, in the middle of that one.
///
/// - Parameters:
///   - aspectRatio: The width and the height, of which the ratio counts.
///   - boundingRect: The rectangle to fit into.
/// - Returns: The rectangle; an empty one in the middle if the aspect ratio has a side that is not positive.
public func AVMakeRect(aspectRatio: CGSize, insideRect boundingRect: CGRect) -> CGRect {
    let bounds = boundingRect.standardized
    var size = CGSize.zero
    if aspectRatio.width > 0, aspectRatio.height > 0 {
        size = bounds.size
        let isWider = bounds.width * aspectRatio.height > bounds.height * aspectRatio.width
        if isWider {
            size.width = bounds.height * aspectRatio.width / aspectRatio.height
        } else {
            size.height = bounds.width * aspectRatio.height / aspectRatio.width
        }
    }
    return CGRect(
        x: bounds.midX - size.width / 2,
        y: bounds.midY - size.height / 2,
        width: size.width,
        height: size.height
    )
}
