import GateRules
import Testing

@testable import GateFeeds

struct FeedDebounceTests {
    /// An event of a feed, and the expected step.
    private enum Event {
        case comes(FeedResult)
        case next(FeedDebounce.Step)
        case taken
        case hurry
    }

    private struct Story: CustomTestStringConvertible {
        let testDescription: String
        /// The events with their times in seconds.
        let events: [(Double, Event)]

        init(_ description: String, _ events: [(Double, Event)]) {
            (self.testDescription, self.events) = (description, events)
        }
    }

    private static func value(_ text: String) -> FeedResult {
        .value(FeedValue(document: text))
    }

    private static let nonsense = FeedResult.nonsense(.content("what?"))

    private static let stories = [
        Story(
            "the first value after a pause is applied at once",
            [
                (0, .next(.nothing)),
                (9, .comes(value("a"))), (9, .next(.take([value("a")]))), (9, .next(.nothing)),
                (9, .taken), (9, .next(.nothing)),
                (9.25, .comes(value("b"))), (9.25, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "the last of several consecutive values is applied after a delay",
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
            "a slow application does not shorten the delay of the next one",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))),
                (1.5, .comes(value("b"))), (1.5, .next(.nothing)),
                (2, .taken), (2, .next(.wait(2 + FeedDebounce.interval - 2))),
                (2.5, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "invalid data is reported at once and delays nothing",
            [
                (1, .comes(nonsense)), (1, .next(.take([nonsense]))), (1, .taken),
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(nonsense)), (1, .next(.take([nonsense]))),
            ]
        ),
        Story(
            "invalid data is reported after the value before it",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(nonsense)), (1, .comes(.alive)),
                (2, .next(.take([value("b"), nonsense]))),
            ]
        ),
        Story(
            "the last of several invalid responses is reported",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(nonsense)),
                (1, .comes(.nonsense(.content("how?")))),
                (2, .next(.take([value("b"), .nonsense(.content("how?"))]))),
            ]
        ),
        Story(
            "a value replaces the invalid data before it",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(nonsense)), (1, .comes(value("b"))), (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "a keep-alive confirms the applied value and delays nothing",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .comes(.alive)),
                (1, .next(.nothing)), (1, .taken), (1, .next(.take([.alive]))), (1, .taken),
                (2, .comes(.unchanged)), (2, .next(.take([.unchanged]))), (2, .taken),
                (2, .comes(value("b"))), (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "a keep-alive does not confirm the value before the delayed one",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .comes(.alive)), (1, .comes(.unchanged)),
                (2, .next(.take([value("b")]))),
            ]
        ),
        Story(
            "at the end of the stream, nothing is delayed",
            [
                (1, .comes(value("a"))), (1, .next(.take([value("a")]))), (1, .taken),
                (1, .comes(value("b"))), (1, .hurry), (1, .next(.take([value("b")]))),
            ]
        ),
    ]

    @Test(arguments: stories)
    private func `a feed value is applied after its debounce time`(story: Story) {
        var debounce = FeedDebounce()
        var taken: [FeedResult] = []
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

    @Test func `at most five values per second are applied, including the last one`() {
        var debounce = FeedDebounce()
        var taken: [FeedResult] = []
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
