import DequeModule
import MediaCore
import PlayheadBackend
import Synchronization

/// Sends packets to the decoder, except those that it does not need.
extension DecodeStage {
    func sendNextPacket() throws(MediaError) -> StepResult {
        if current.pass.isDraining, current.pendingInput == nil { return .progressed }
        if current.pendingInput == nil {
            if let element = current.backlog.popFirst() {
                accept(element)
            } else {
                if decoder.isCatchingUp, input.isEmpty { return .progressed }
                // Set before the packet is removed, so that the packet is always visible in the queue or as
                // work in progress.
                let wasIdle = isIdle.exchange(false, ordering: .sequentiallyConsistent)
                guard let (element, packetEpoch) = input.pop() else {
                    isIdle.store(true, ordering: .sequentiallyConsistent)
                    if !wasIdle { report(.delivered) }
                    waitsForInput.store(true, ordering: .sequentiallyConsistent)
                    // A packet that arrived in the meantime has not woken the stage.
                    return input.isEmpty ? .needsInput : .progressed
                }
                if waitsForInput.load(ordering: .relaxed) {
                    waitsForInput.store(false, ordering: .sequentiallyConsistent)
                }
                wakeDemuxer()
                // The queue may be an epoch ahead of the value of `start` that was read before.
                if packetEpoch > current.epoch { begin(start.withLock { $0 }) }
                guard packetEpoch == current.epoch else { return .progressed }
                accept(element)
            }
        }
        guard let next = current.pendingInput else { return .progressed }
        if current.pass.hasGivenUp, next.packet != nil {
            current.pendingInput = nil
            return .progressed
        }
        do throws(MediaError) {
            if try decoder.send(next.packet) {
                current.pendingInput = nil
                if let packet = next.packet { noteSent(packet) } else { beginDrain(next.end) }
            }
        } catch {
            current.pendingInput = nil
            if next.packet == nil { beginDrain(next.end) }
            throw error
        }
        return .progressed
    }

    /// More packets than any decoder delays.
    private static let maximumPacketsInDecoder = 128

    private func noteSent(_ packet: Packet) {
        history.send(packet)
        guard isVideo else { return }
        if packetsInDecoder.count >= Self.maximumPacketsInDecoder { packetsInDecoder.removeFirst() }
        packetsInDecoder.append(packet)
    }

    private func beginDrain(_ error: MediaError?) {
        current.pass.isDraining = true
        current.pass.drainError = error
        history.invalidate()
    }

    /// Makes an element of the current epoch the decoder's next input, unless the decoder does not need it.
    private func accept(_ element: PacketElement) {
        if isVideo { trackSeekTarget(element) }
        if let step = current.resumption?.consume(element) {
            if step != .diverged, case .packet(let packet, _) = element { skipper.noteReceived(packet) }
            switch step {
            case .skip: return showNewestFrame()
            case .reached:
                current.resumption = nil
                return showNewestFrame()
            case .diverged: return restartFromSyncPoint()
            }
        }
        setPendingInput(element)
        if isVideo, deliverUndecoded() { return }
        guard let packet = current.pendingInput?.packet else { return }
        let isSkipped =
            isVideo
            ? mustSkip(packet)
            : !decoder.needsAllPackets
                && current.filter.canSkip(packet, end: current.end, preroll: audioPreroll)
        if isSkipped { current.pendingInput = nil }
        if isVideo, !isSkipped { showKeyFrame(packet) }
    }

    private func setPendingInput(_ element: PacketElement) {
        switch element {
        case .packet(let packet, let pass):
            if current.collector != nil, current.collector?.syncPointTime == nil {
                current.collector?.syncPointTime = packet.presentationTime
            }
            current.pass.number = pass
            current.pendingInput = (packet, nil)
        case .endOfPass(let pass, let error):
            current.pass.number = pass
            current.pendingInput = (nil, error)
        }
    }
}
