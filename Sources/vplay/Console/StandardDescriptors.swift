import Glibc

/// Standard input, output and error.
enum StandardDescriptors {
    /// Opens those that the caller has closed, so that no event queue and no file gets their numbers.
    ///
    /// Each is opened for the direction in which it is not used: reading and writing fail, as with a closed one.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is `descriptor`, because those below are open.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
