import CALSA
import Foundation
import MediaCore

@testable import ALSA

/// A device behind ALSA's functions whose time, errors and buffer the test controls.
///
/// C functions have no context, so there is one device per process, and its suites are serialized. The thread of an
/// earlier test's sink may still close the device; it has the handle of that test, with which no call changes it.
enum FakeDevice {
    struct State {
        /// The number of the test, which is the handle that `pcm_open` returns.
        var handle = 1
        /// The results of `pcm_open`, in order; 0 when there are no more.
        var openResults: [Int32] = []
        var opened: [String] = []
        var acceptsFloat = true
        var bufferSize = 9600
        var channelCount = 1
        /// The samples that the device holds, and those that it has played.
        var held: [Float] = []
        var played: [Float] = []
        var isRunning = false
        /// Results of the next calls of `pcm_avail`, `pcm_writei` and `pcm_resume` instead of the usual ones.
        var availResults: [Int] = []
        var writeResults: [Int] = []
        var resumeResults: [Int32] = []
        var calls: [String] = []
        /// Blocks `pcm_writei` until it is signalled.
        var gate: DispatchSemaphore?

        /// Lets the device play samples per channel.
        mutating func play(_ count: Int) {
            guard isRunning else { return }
            played += held.prefix(count * channelCount)
            held.removeFirst(min(held.count, count * channelCount))
        }
    }
    static let state = Locked(State())

    static func reset() { state.withLock { $0 = State(handle: $0.handle + 1) } }

    /// Waits until a condition is met.
    ///
    /// - Throws: `CancellationError`, if the time limit of the test cancels it before.
    static func wait(until condition: @Sendable (State) -> Bool) async throws {
        while !state.withLock({ condition($0) }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    static let library = ALSALibrary(functions)

    private static let functions = ph_alsa(
        pcm_open: { pcm, name, _, _ in
            FakeDevice.state.withLock { state in
                let name = name.map { String(cString: $0) } ?? ""
                state.opened.append(name)
                let result = state.openResults.isEmpty ? 0 : state.openResults.removeFirst()
                if result == 0 { pcm?.pointee = OpaquePointer(bitPattern: state.handle) }
                return result
            }
        },
        pcm_close: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.held = []
                state.isRunning = false
                state.calls.append("close")
                return 0
            }
        },
        pcm_set_params: { pcm, _, _, channels, _, _, _ in
            FakeDevice.change(pcm, else: -ENODEV) { state in
                state.channelCount = Int(channels)
                let isConverted = state.opened.last?.hasPrefix("plug:") ?? false
                return state.acceptsFloat || isConverted ? 0 : -EINVAL
            }
        },
        pcm_get_params: { _, buffer, period in
            buffer?.pointee = snd_pcm_uframes_t(FakeDevice.state.withLock { $0.bufferSize })
            period?.pointee = 960
            return 0
        },
        pcm_prepare: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.calls.append("prepare")
                return 0
            }
        },
        pcm_start: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.isRunning = true
                state.calls.append("start")
                return 0
            }
        },
        pcm_drop: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.held = []
                state.isRunning = false
                state.calls.append("drop")
                return 0
            }
        },
        pcm_resume: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.resumeResults.isEmpty ? 0 : state.resumeResults.removeFirst()
            }
        },
        pcm_recover: { pcm, code, _ in
            guard code == -EPIPE else { return code }
            return FakeDevice.change(pcm, else: 0) { state in
                state.isRunning = false
                state.calls.append("recover")
                return 0
            }
        },
        pcm_avail: { pcm in
            FakeDevice.change(pcm, else: 0) { state in
                state.availResults.isEmpty
                    ? state.bufferSize - state.held.count / state.channelCount
                    : state.availResults.removeFirst()
            }
        },
        pcm_delay: { _, delay in
            delay?.pointee = FakeDevice.state.withLock { $0.held.count / $0.channelCount }
            return 0
        },
        pcm_writei: { pcm, samples, count in
            let gate: DispatchSemaphore? = FakeDevice.change(pcm, else: nil) { state in
                if state.gate != nil { state.calls.append("blocked") }
                return state.gate
            }
            gate?.wait()
            return FakeDevice.change(pcm, else: Int(count)) { state in
                if !state.writeResults.isEmpty { return state.writeResults.removeFirst() }
                let floats = UnsafeBufferPointer(
                    start: samples?.assumingMemoryBound(to: Float.self),
                    count: Int(count) * state.channelCount
                )
                state.held += floats
                return Int(count)
            }
        },
        strerror: { code in UnsafePointer(Glibc.strerror(-code)) },
        lib_error_set_local: { _ in nil }
    )

    /// Calls `body` if the handle is that of the current test. Otherwise returns `other`.
    private static func change<Result>(
        _ pcm: OpaquePointer?,
        else other: Result,
        _ body: (inout State) -> Result
    ) -> Result {
        state.withLock { state in
            pcm == OpaquePointer(bitPattern: state.handle) ? body(&state) : other
        }
    }
}
