/// A sink whose calls take next to no time, for it keeps nothing: frames are handed to it where they come due, and audio in
/// larger pieces, so that hardly any thread is woken for it.
///
/// Only for sinks of this package: one that takes its time there holds up every player of the process.
package protocol ImmediateSink: AnyObject {}
