import Glibc

// The functions that libFuzzer calls. They are not part of the tests.

/// The target that PLAYHEAD_FUZZ_TARGET names.
private let target = getenv("PLAYHEAD_FUZZ_TARGET").flatMap { FuzzTarget.named(String(cString: $0)) }

/// Lists the targets and exits if none is named.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<Int32>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
    guard target == nil else { return 0 }
    for target in FuzzTarget.all { print(target.name, target.folder, target.maximumLength) }
    exit(0)
}

/// Runs the target with an input. A violated rule ends the process, as a trap does.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    if let violation = target?.run(Array(UnsafeBufferPointer(start: bytes, count: count))) {
        print("violated:", violation)
        fflush(nil)
        abort()
    }
    return 0
}
