import ArgumentParser
import Playhead

enum YesOrNo: String, ExpressibleByArgument, CaseIterable, Sendable {
    case yes, no
}
