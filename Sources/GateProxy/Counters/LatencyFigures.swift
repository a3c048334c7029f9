/// How long requests took.
package struct LatencyFigures: Sendable, Equatable {
    /// From the reading of a request's head until its denial was written.
    package var denied = LatencyHistogram.ofWork
    /// From the reading of a request's head until it was written for the backend, or began to wait for a
    /// connection to it.
    package var forwarded = LatencyHistogram.ofWork
    /// From then until the head of the answer was there.
    package var answered = LatencyHistogram.ofAnswers

    package static func + (left: LatencyFigures, right: LatencyFigures) -> LatencyFigures {
        LatencyFigures(
            denied: left.denied + right.denied,
            forwarded: left.forwarded + right.forwarded,
            answered: left.answered + right.answered
        )
    }
}
