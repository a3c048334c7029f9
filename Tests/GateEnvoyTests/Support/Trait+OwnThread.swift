import OwnThread
import Testing

extension Trait where Self == OwnThreadTrait {
    static var ownThread: Self { Self() }
}
