package import Foundation
import Glibc

/// The real gate, in a process of its own, and its log.
package final class GateProcess: Sendable {
    /// How the process ended.
    package enum Exit: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// The gate's port on 127.0.0.1; that for gateways if the gate only decides.
    package let port: UInt16
    /// The port of the second listener, if there is one.
    package let tlsPort: UInt16?
    /// The port for gateways that ask for decisions, if there is one.
    package let decidePort: UInt16?
    /// The port of the admin listener, if there is one.
    package let adminPort: UInt16?
    private let process: Process
    private let log: OutputCollector
    private let exit: Watched<Exit?>

    /// Starts the gate with a backend on a port of 127.0.0.1 and waits until it listens.
    package convenience init(
        upstreamPort: UInt16,
        rules: URL,
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual
    ) throws {
        try self.init(
            upstream: "http://127.0.0.1:\(upstreamPort)",
            rules: rules,
            flags: flags,
            surroundings: surroundings
        )
    }

    /// Starts the gate with the backends that the flag names, and waits until it listens.
    ///
    /// Without backends, the gate only decides for gateways.
    package init(
        upstream: String?,
        rules: URL,
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual
    ) throws {
        let exit = Watched<Exit?>(nil)
        let log = OutputCollector()
        let process = Process()
        let executable = try GateExecutable.locate()
        let arguments =
            ["serve"]
            + (upstream.map { ["--listen", "127.0.0.1:0", "--upstream", $0] } ?? [])
            + ["--rules", rules.path, "--threads", "1"]
            + ["--log-format", "json", "--log-level", "info"]
            + flags.flatMap(\.arguments)
        surroundings.prepare(process, toRun: executable, arguments)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log.pipe
        process.terminationHandler = { process in
            let code = process.terminationStatus
            let isSignal = process.terminationReason == .uncaughtSignal
            exit.update { $0 = isSignal ? .signal(code) : .status(code) }
        }
        try process.start()
        log.start()
        (self.process, self.log, self.exit) = (process, log, exit)
        do {
            let line = try Self.listeningLine(from: log)
            self.decidePort = Self.port(of: line, "decide_address")
            guard let port = Self.port(of: line, "address") ?? self.decidePort else {
                throw HarnessError("the gate did not start:\n\(log.collected.current.text)")
            }
            self.port = port
            self.tlsPort = Self.port(of: line, "tls_address")
            self.adminPort = Self.port(of: line, "admin_address")
        } catch {
            _ = kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    deinit {
        let exit = self.end()
        if let words = self.crash(exit) { FileHandle.standardError.write(Data(words.utf8)) }
    }

    package var processIdentifier: Int32 { self.process.processIdentifier }

    /// Everything that the gate has logged.
    package var logLines: [LogLine] { self.log.collected.current.lines.map(LogLine.init) }

    package var logText: String { self.log.collected.current.text }

    /// How the gate ended, if it has ended.
    package var currentExit: Exit? { self.exit.current }

    /// Blocks until the closure accepts a line after the skipped ones, and returns that line.
    @discardableResult
    package func logLine(
        _ awaited: String,
        skipping skipped: Int = 0,
        by deadline: Deadline = .usual,
        where isAwaited: (LogLine) -> Bool
    ) throws -> LogLine {
        var seen = skipped
        return try self.log.collected.wait(for: "log: \(awaited)", by: deadline) { collected in
            let fresh = collected.lines.dropFirst(seen).map(LogLine.init)
            seen = max(seen, collected.lines.count)
            return fresh.first(where: isAwaited)
        }
    }

    package func send(signal: Int32) {
        if self.process.isRunning {
            _ = kill(self.process.processIdentifier, signal)
        }
    }

    /// Stops the process until `resume()`.
    ///
    /// Everything that happens in the meantime is then processed at once.
    package func pause() throws {
        self.send(signal: SIGSTOP)
        let path = "/proc/\(self.processIdentifier)/stat"
        // The letters of process states: proc_pid_stat(5).
        try Deadline.usual.poll("the gate to stop") {
            try String(contentsOfFile: path, encoding: .utf8).contains(") T ") ? true : nil
        }
    }

    /// Stops reading the log until `resumeReadingLog()`, and fills its pipe.
    package func stopReadingLog() throws {
        try self.log.stopReading(from: "/proc/\(self.processIdentifier)/fd/2")
    }

    package func resumeReadingLog() {
        self.log.resumeReading()
    }

    package func resume() {
        self.send(signal: SIGCONT)
    }

    /// Blocks until the gate has exited by itself.
    package func waitForExit(by deadline: Deadline = .usual) throws -> Exit {
        do {
            return try self.exit.wait(for: "the gate to exit", by: deadline) { $0 }
        } catch {
            // The state is reported here, because the process cannot be inspected after the run.
            let log = self.logText.suffix(2000)
            throw HarnessError("\(error)\n\(self.state)\nThe log ends with:\n\(log)")
        }
    }

    /// The kernel functions in which the threads wait, and the number of descriptors.
    private var state: String {
        let tasks = "/proc/\(self.processIdentifier)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        let threads = names.sorted().map { name in
            let words = ["comm", "wchan"].map { file in
                let text = try? String(contentsOfFile: "\(tasks)/\(name)/\(file)", encoding: .utf8)
                return text?.trimmingCharacters(in: .newlines) ?? "?"
            }
            return words.joined(separator: " in ")
        }
        let descriptors = (try? self.descriptorCount()).map(String.init) ?? "no"
        return "\(descriptors) descriptors; \(threads.joined(separator: ", "))"
    }

    /// Ends the gate with SIGTERM, and with SIGKILL if it does not exit.
    @discardableResult
    package func end() -> Exit? {
        self.send(signal: SIGTERM)
        if let exit = try? self.waitForExit(by: .after(.seconds(10))) {
            return exit
        }
        self.send(signal: SIGKILL)
        return try? self.waitForExit()
    }

    /// Returns the text that reports a crash; `dev/run-tests.py` looks for it in every test's output.
    private func crash(_ exit: Exit?) -> String? {
        _ = try? self.log.collected.wait(for: "the end of the log", by: .after(.seconds(1))) {
            $0.hasEnded ? true : nil
        }
        let log = self.logText
        switch exit {
        case .signal(let signal) where Self.crashes.contains(signal):
            return "the gate ended by signal \(signal):\n\(log.suffix(4000))\n"
        case _ where log.contains("Sanitizer: "):
            return "a sanitizer stopped the gate:\n\(log.suffix(20_000))\n"
        default:
            return nil
        }
    }

    /// Signals that no test sends.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// Returns the peak memory so far, in bytes.
    package func peakResidentSize() throws -> Int { try self.memory("VmHWM:") }

    package func residentSize() throws -> Int { try self.memory("VmRSS:") }

    /// Returns the CPU time so far.
    package func processorTime() throws -> Duration {
        let path = "/proc/\(self.processIdentifier)/stat"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // The process name in parentheses may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw HarnessError("no times in \(path)")
        }
        return .milliseconds((user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    private func memory(_ name: String) throws -> Int {
        let path = "/proc/\(self.processIdentifier)/status"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" } ?? []
        guard words.count == 3, let kilobytes = Int(words[1]) else {
            throw HarnessError("no \(name) in \(path)")
        }
        return kilobytes * 1024
    }

    private static func listeningLine(from log: OutputCollector) throws -> LogLine? {
        try log.collected.wait(for: "the gate to listen") { collected in
            let lines = collected.lines.map(LogLine.init)
            if let line = lines.first(where: { $0.message == "listening" }) {
                return .some(line)
            }
            return collected.hasEnded ? .some(nil) : nil
        }
    }

    private static func port(of line: LogLine?, _ name: String) -> UInt16? {
        line?.metadata[name]?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}
