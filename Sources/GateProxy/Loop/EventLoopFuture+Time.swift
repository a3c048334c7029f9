import NIOCore

extension EventLoopFuture {
    func completes(within time: TimeAmount) -> EventLoopFuture<Bool> {
        let first = self.eventLoop.makePromise(of: Bool.self)
        let timer = self.eventLoop.scheduleTask(in: time) { first.succeed(false) }
        self.whenComplete { _ in
            timer.cancel()
            first.succeed(true)
        }
        return first.futureResult
    }
}
