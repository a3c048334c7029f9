import GateTestSupport
import OwnThread
import Testing

extension Trait where Self == OwnThreadTrait {
    static var ownThread: Self { Self() }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if one of the programs is not installed.
    static func needs(_ programs: String...) -> Self {
        .enabled("\(programs.joined(separator: ", ")): not installed") {
            programs.allSatisfy { ToolProcess.isInstalled($0) }
        }
    }
}
