import Playhead

/// `outputVolume` can be observed, and does not change.
extension AVAudioSession: _KeyValueCodingAndObserving, Observed {
    func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> {
        ValueObservation(initialValue: read(), token: ObservationToken {})
    }

    func keyValue(forKey key: String) -> KeyValue? { key == "outputVolume" ? KeyValue(outputVolume) : nil }
}
