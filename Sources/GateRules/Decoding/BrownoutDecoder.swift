internal import GatePolicy

/// Decodes `brownouts`: windows before `enforceFrom` in which a floor is enforced temporarily.
struct BrownoutDecoder {
    static let windowKeys = ["from", "until"]
    static let seriesKeys = ["every", "for", "growing"]
    private static let limit: Int64 = 1_000

    /// The bounds of all windows; `nil` if the key is missing or its time is invalid.
    let warnFrom: NamedTime?
    let enforceFrom: NamedTime?
    let problems: Problems

    /// Decodes a list of windows or the definition of a series; returns the windows in order.
    func decode(_ element: Element) -> [BrownoutWindow] {
        switch element.content {
        case .list:
            return self.windows(element.oneOrMore(self.problems), of: element)
        case .mapping:
            return self.series(element)
        case .text, .number, .boolean, .date, .nothing:
            let expected = "a list of windows, or a mapping with 'every' and 'for'"
            self.problems.report("expected \(expected), found \(element.found)", at: element.place)
            return []
        }
    }

    private func windows(_ items: [Element], of element: Element) -> [BrownoutWindow] {
        guard items.count <= Self.limit else {
            let message = "there are \(items.count) windows; at most \(Self.limit) can be listed"
            self.problems.report(message, at: element.place)
            return []
        }
        var windows: [BrownoutWindow] = []
        for item in items {
            guard let window = self.window(item, after: windows.last) else { continue }
            windows.append(window)
        }
        return windows
    }

    private func window(_ element: Element, after last: BrownoutWindow?) -> BrownoutWindow? {
        guard let fields = Fields(element, Self.windowKeys, self.problems) else { return nil }
        for key in Self.windowKeys { _ = fields.required(key, of: "a brownout") }
        let from = NamedTime("from", of: fields, self.problems)
        let until = NamedTime("until", of: fields, self.problems)
        until?.check(isAfter: from, self.problems)
        from?.check(isNotBefore: self.warnFrom, self.problems)
        until?.check(isNotAfter: self.enforceFrom, self.problems)
        guard let from, let until else { return nil }
        if let last, from.time < last.until {
            let message = "\(from) is before the end of the previous brownout, at \(last.until)"
            self.problems.report(message, at: from.place)
        }
        return BrownoutWindow(from: from.time, until: until.time)
    }

    /// Returns a series of windows, one at each multiple of `every` after `warnFrom`.
    private func series(_ element: Element) -> [BrownoutWindow] {
        guard let fields = Fields(element, Self.seriesKeys, self.problems) else { return [] }
        for key in ["every", "for"] { _ = fields.required(key, of: "a series of brownouts") }
        let every = self.span("every", of: fields)
        let length = self.span("for", of: fields)
        let growing = fields["growing"].map { $0.timeSpan(self.problems) } ?? 0
        guard let every, let length, let growing, let place = fields["every"]?.place,
            let warnFrom, let enforceFrom, warnFrom.time <= enforceFrom.time
        else { return [] }
        let start = warnFrom.time.secondsSinceEpoch
        let end = enforceFrom.time.secondsSinceEpoch
        // A window that would start at `enforceFrom` is omitted.
        let count = (end - start - 1) / every
        guard count > 0 else {
            let message = "no brownout begins before \(enforceFrom): 'every' is too long"
            self.problems.report(message, at: place)
            return []
        }
        guard count <= Self.limit else {
            let message =
                "\(count) brownouts begin before \(enforceFrom), but at most \(Self.limit) are "
                + "allowed: 'every' is too short"
            self.problems.report(message, at: place)
            return []
        }
        self.checkLength(count, every: every, length, growing, fields)
        return (1...count).map { number in
            let from = start + number * every
            return BrownoutWindow(
                from: Timestamp(secondsSinceEpoch: from),
                until: Timestamp(
                    secondsSinceEpoch: min(from + length + (number - 1) * growing, end)
                )
            )
        }
    }

    private func span(_ key: String, of fields: Fields) -> Int64? {
        guard let element = fields[key], let span = element.timeSpan(self.problems) else {
            return nil
        }
        if span == 0 {
            let message = "'\(key)' of a brownout must be at least 1s"
            return self.problems.reject(message, at: element.place)
        }
        return span
    }

    /// Reports windows that are longer than the interval between windows.
    ///
    /// Such windows would deny without interruption. Cutting them short would hide the mistake.
    private func checkLength(
        _ count: Int64,
        every: Int64,
        _ length: Int64,
        _ growing: Int64,
        _ fields: Fields
    ) {
        if length > every, let place = fields["for"]?.place {
            self.problems.report("a brownout is longer than 'every'; make 'for' shorter", at: place)
        } else if length + (count - 1) * growing > every, let place = fields["growing"]?.place {
            let number = (every - length) / growing + 2
            let message =
                "brownout \(number) of \(count) is longer than 'every'; make 'growing' "
                + "shorter, or list the windows"
            self.problems.report(message, at: place)
        }
    }
}
