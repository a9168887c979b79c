package io.redelay.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import tools.jackson.databind.json.JsonMapper;

/**
 * Prints measurements: each as a line of JSON, and together as tables of medians with the
 * smallest and the largest value behind them.
 */
final class Report {

	private final List<Measurement> measurements = new ArrayList<>();

	void add(Measurement measurement) {
		System.out.println(JsonMapper.shared().writeValueAsString(measurement));
		if (measurement.round() > 0) {
			this.measurements.add(measurement);
		}
	}

	void print() {
		System.out.printf("%n%-31s %32s %32s %22s%n", "messages a second", "limit", "store", "store / limit");
		for (Work work : Work.values()) {
			Spread limit = spread(work, "limit", Measurement::perSecond);
			Spread store = spread(work, "store", Measurement::perSecond);
			System.out.printf("%-31s %32s %32s %22s%n", work.title(), limit.format("%,.0f"), store.format("%,.0f"),
					ratios(work).format("%.2f"));
		}
		System.out.printf("%n%-31s %6s %10s %10s %16s %16s %16s%n", "", "", "messages", "inner", "Redis CPU",
				"client CPU", "memory left,");
		System.out.printf("%-31s %6s %10s %10s %16s %16s %16s%n", "", "", "a command", "a command", "µs a message",
				"µs a message", "bytes a message");
		for (Work work : Work.values()) {
			for (String contender : List.of("limit", "store")) {
				if (of(work, contender).isEmpty()) {
					continue;
				}
				System.out.printf("%-31s %6s %10s %10s %16s %16s %16s%n", work.title(), contender,
						spread(work, contender, Measurement::messagesPerCommand).median("%.1f"),
						spread(work, contender, Measurement::innerPerCommand).median("%.1f"),
						spread(work, contender, Measurement::redisCpuMicros).median("%.2f"),
						spread(work, contender, Measurement::clientCpuMicros).median("%.2f"),
						spread(work, contender, Measurement::bytes).median("%.0f"));
			}
		}
	}

	private List<Measurement> of(Work work, String contender) {
		return this.measurements.stream()
			.filter((each) -> each.work() == work && each.contender().equals(contender))
			.toList();
	}

	private Spread spread(Work work, String contender, ToDoubleFunction<Measurement> value) {
		return new Spread(of(work, contender).stream().mapToDouble(value).sorted().toArray());
	}

	/**
	 * The ratio of each round, in which both ran one after the other.
	 */
	private Spread ratios(Work work) {
		List<Measurement> limit = of(work, "limit");
		return new Spread(of(work, "store").stream()
			.flatMap((store) -> limit.stream()
				.filter((other) -> other.round() == store.round())
				.map((other) -> store.perSecond() / other.perSecond()))
			.mapToDouble(Double::doubleValue)
			.sorted()
			.toArray());
	}

}
