/// A sink that stores nothing and whose calls take almost no time.
///
/// Frames are delivered to it on the lane on which they become due, and audio in larger pieces, so that few threads
/// are woken. Only sinks of this package may conform: a slow call would delay every player of the process.
package protocol ImmediateSink: AnyObject {}
