import Foundation

// Runs the idioms one after another. The exit status is 1 if one of them does not write its lines.
Task { @MainActor in
    var isEachRight = true
    for idiom in idioms {
        do {
            if try await !idiom() { isEachRight = false }
        } catch {
            print("FAILED: \(error)")
            isEachRight = false
        }
    }
    exit(isEachRight ? 0 : 1)
}
RunLoop.main.run()
