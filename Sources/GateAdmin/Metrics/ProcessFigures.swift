private import FoundationEssentials
private import Glibc

/// Resource usage of this process as reported by the kernel.
struct ProcessFigures: Sendable, Equatable {
    /// The resident memory in bytes.
    var residentBytes: UInt64?
    /// The CPU time since startup, in seconds.
    var processorSeconds: Double?
    var openDescriptors: Int?
    /// The maximum number of open descriptors.
    var maximumDescriptors: UInt64?
    /// The start time in seconds since 1970.
    var startTime: Double?

    /// Reads the current values.
    static func current() -> ProcessFigures {
        var figures = ProcessFigures()
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        figures.residentBytes = Self.text("/proc/self/statm")
            .flatMap { Self.residentPages(statm: $0) }.map { $0 * UInt64(max(pageSize, 0)) }
        var time = timespec()
        if unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            figures.processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        // One of the listed descriptors is the open folder itself.
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        figures.openDescriptors = descriptors.map { max(0, $0.count - 1) }
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.maximumDescriptors = UInt64(limit.rlim_cur)
        }
        if let ticks = Self.text("/proc/self/stat").flatMap({ Self.startTicks(stat: $0) }),
            let boot = Self.text("/proc/stat").flatMap({ Self.bootTime(stat: $0) })
        {
            figures.startTime = boot + Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        }
        return figures
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    /// Returns the number of resident pages: the second number in `/proc/PID/statm` (proc_pid_statm(5)).
    static func residentPages(statm text: String) -> UInt64? {
        let words = text.split(separator: " ")
        return words.count > 1 ? UInt64(words[1]) : nil
    }

    /// Returns the start time in clock ticks since boot: the 22nd field in `/proc/PID/stat`
    /// (proc_pid_stat(5)).
    static func startTicks(stat text: String) -> UInt64? {
        // The name of the process, in parentheses, may contain spaces and parentheses itself.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let words = text[name...].split(separator: " ")
        return words.count > 20 ? UInt64(words[20]) : nil
    }

    /// Returns the boot time in seconds since 1970: the value of `btime` in `/proc/stat` (proc_stat(5)).
    static func bootTime(stat text: String) -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }
}
