import GateRules
import Testing

@testable import GateFeeds

struct FeedDebounceTests {
    /// Something that happens to a feed, and what is to be done then.
    private enum Event {
        case comes(FeedAnswer)
        case next(FeedDebounce.Step)
        case taken
        case hurry
    }

    private struct Story: CustomTestStringConvertible {
        let testDescription: String
        /// Each at its time, in seconds.
        let events: [(Double, Event)]

        init(_ description: String, _ events: [(Double, Event)]) {
            (self.testDescription, self.events) = (description, events)
        }
    }

    private static func value(_ text: String) -> FeedAnswer {
        .value(FeedValue(document: text))
    }

    private static let nonsense = FeedAnswer.nonsense(.content("what?"))

    private static let stories = [
        Story(
            "what comes after a rest is taken at once",
            [
                (0, .next(.nothing)),
                (9, .comes(value("a"))), (9, .next(.take([value("a")]))), (9, .next(.nothing)),
                (9, .taken), (9, .next(.nothing)),
                (9.25, .comes(value("b"))), (9.25, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "what comes in a row waits, and the last of it is taken",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1.0625, .comes(value("b"))),
                (1.0625, .next(.wait(1 + FeedDebounce.interval - 1.0625))),
                (1.125, .comes(value("c"))),
                (1.125, .next(.wait(1 + FeedDebounce.interval - 1.125))),
                (1.25, .next(.take([value("c")]))), (1.25, .taken), (1.25, .next(.nothing)),
                (1.375, .comes(value("d"))),
                (1.375, .next(.wait(1.25 + FeedDebounce.interval - 1.375))),
            ]
        ),
        Story(
            "what takes long is not begun again sooner for that",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))),
                (1.5, .comes(value("b"))), (1.5, .next(.nothing)),
                (2, .taken), (2, .next(.wait(2 + FeedDebounce.interval - 2))),
                (2.5, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "nonsense is told at once, and makes nothing wait",
            [
                (1, .comes(nonsense)), (1, .next(.take([nonsense]))), (1, .taken),
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(nonsense)), (1, .next(.take([nonsense]))),
            ]
        ),
        Story(
            "nonsense follows the value that it came after",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(nonsense)), (1, .comes(.alive)),
                (2, .next(.take([value("b"), nonsense]))),
            ]
        ),
        Story(
            "the last of several pieces of nonsense is told",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(nonsense)),
                (1, .comes(.nonsense(.content("how?")))),
                (2, .next(.take([value("b"), .nonsense(.content("how?"))]))),
            ]
        ),
        Story(
            "a value mends the nonsense before it",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(nonsense)), (1, .comes(value("b"))), (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "a sign of life confirms what was taken, and makes nothing wait",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .comes(.alive)),
                (1, .next(.nothing)), (1, .taken), (1, .next(.take([.alive]))), (1, .taken),
                (2, .comes(.unchanged)), (2, .next(.take([.unchanged]))), (2, .taken),
                (2, .comes(value("b"))), (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "a sign of life does not confirm the value before the held one",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(.alive)), (1, .comes(.unchanged)),
                (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "at the end nothing waits",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .hurry), (1, .next(.take([value("b")]))),
            ]
        ),
    ]

    @Test(arguments: stories)
    private func `a feed is taken at its debounce`(story: Story) {
        var debounce = FeedDebounce()
        var taken: [FeedAnswer] = []
        for (time, event) in story.events {
            switch event {
            case .comes(let answer): debounce.add(answer)
            case .taken: debounce.finish(taken, at: time)
            case .hurry: debounce.hurry()
            case .next(let expected):
                let step = debounce.next(at: time)
                #expect(step == expected, "at \(time)")
                if case .take(let answers) = step { taken = answers }
            }
        }
    }

    @Test func `however many come, five a second are taken, and the last one`() {
        var debounce = FeedDebounce()
        var taken: [FeedAnswer] = []
        for millisecond in 0...3000 {
            if millisecond <= 2000 { debounce.add(Self.value("\(millisecond)")) }
            let uptime = Double(millisecond) / 1000
            if case .take(let answers) = debounce.next(at: uptime) {
                taken += answers
                debounce.finish(answers, at: uptime)
            }
        }
        #expect(taken.first == Self.value("0"))
        #expect(taken.last == Self.value("2000"))
        #expect(10...11 ~= taken.count)
    }
}
