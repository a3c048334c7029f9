import GateTestSupport
import NIOCore
import Testing

@testable import GateProxy

struct ConnectionRegistryTests {
    private final class Item: RegisteredConnection {
        let deadline: NIODeadline?
        var registryIndex = 0

        init(deadline: NIODeadline? = nil) {
            self.deadline = deadline
        }
    }

    @Test func `an added element is present until it is removed, in any order`() {
        var generator = SeededGenerator(seed: 7)
        var registry = ConnectionRegistry<Item>()
        var expected: [Item] = []
        for _ in 0..<2000 {
            if expected.isEmpty || Int.random(in: 0..<3, using: &generator) > 0 {
                let item = Item()
                registry.add(item)
                expected.append(item)
            } else {
                let index = Int.random(in: 0..<expected.count, using: &generator)
                registry.remove(expected.remove(at: index))
            }
            #expect(registry.count == expected.count)
        }
        #expect(
            Set(registry.all.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init))
        )
        for item in expected { registry.remove(item) }
        #expect(registry.count == 0)
    }

    @Test func `removing an absent element has no effect`() {
        var registry = ConnectionRegistry<Item>()
        let inside = Item()
        let removed = Item()
        registry.remove(Item())
        registry.add(inside)
        registry.add(removed)
        registry.remove(removed)
        registry.remove(removed)
        registry.remove(Item())
        #expect(registry.all.map { $0 === inside } == [true])
    }

    @Test func `elements whose deadline has passed are overdue`() {
        let now = NIODeadline.uptimeNanoseconds(1000)
        var registry = ConnectionRegistry<Item>()
        let past = Item(deadline: now - .nanoseconds(1))
        let present = Item(deadline: now)
        for item in [Item(), past, Item(deadline: now + .nanoseconds(1)), present] {
            registry.add(item)
        }
        let overdue = registry.overdue(at: now)
        #expect(overdue.map(ObjectIdentifier.init) == [past, present].map(ObjectIdentifier.init))
    }
}
