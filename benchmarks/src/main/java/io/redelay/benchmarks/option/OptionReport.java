package io.redelay.benchmarks.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.Spread;

/**
 * Writes each sample to a file, and prints the medians and how many plain messages a
 * message costs.
 */
final class OptionReport {

	private final JsonLines file;

	private final List<OptionSample> samples = new ArrayList<>();

	OptionReport(JsonLines file) {
		this.file = file;
	}

	void begin(Machine machine) {
		this.file.begin(machine);
	}

	void add(OptionSample sample) {
		this.file.add(sample);
		if (sample.round() > 0) {
			this.samples.add(sample);
		}
	}

	void print() {
		for (int together : OptionBenchmark.TOGETHER) {
			print(together, "send", OptionSample::send);
			print(together, "life", OptionSample::life);
		}
	}

	private void print(int together, String part, Part cost) {
		System.out.printf("%n%-28s %30s %36s %36s%n", part + ", " + together + " together", "commands (÷ plain)",
				"Redis CPU, µs (÷ plain)", "client CPU, µs (÷ plain)");
		for (SendOption option : SendOption.values()) {
			List<OptionSample> of = of(option, together);
			if (!of.isEmpty()) {
				System.out.printf("%-28s %30s %36s %36s%n", option.title(),
						text(of, (sample) -> cost.of(sample).commands()),
						text(of, (sample) -> cost.of(sample).redisMicros()),
						text(of, (sample) -> cost.of(sample).clientMicros()));
			}
		}
	}

	private String text(List<OptionSample> of, ToDoubleFunction<OptionSample> figure) {
		Spread values = Spread.of(of.stream().map(figure::applyAsDouble).toList());
		List<OptionSample> plain = of(SendOption.PLAIN, of.get(0).together());
		List<Double> ratios = new ArrayList<>();
		for (int i = 0; i < of.size(); i++) {
			ratios.add(figure.applyAsDouble(of.get(i)) / figure.applyAsDouble(plain.get(i)));
		}
		return String.format(Locale.ROOT, "%.2f  %s", values.median(), Spread.of(ratios).format("%.2f"));
	}

	private List<OptionSample> of(SendOption option, int together) {
		return this.samples.stream()
			.filter((sample) -> sample.option() == option && sample.together() == together)
			.toList();
	}

	/**
	 * A part of the life of a message.
	 */
	private interface Part {

		OptionCost of(OptionSample sample);

	}

}
