package io.redelay.benchmarks.soak;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.Spread;

/**
 * How something has changed from the first third of the samples to the last.
 *
 * @param name what it is
 * @param first the median of the first third
 * @param last the median of the last third
 * @param allowance by how much it may have grown
 * @since 0.1.0
 */
public record Trend(String name, double first, double last, double allowance) {

	private static final double MEBIBYTE = 1024 * 1024;

	private static final double HEAP_ALLOWANCE = 5;

	private static final double HEAP_SHARE = 0.1;

	/**
	 * Threads of handlers come and go with the load.
	 */
	private static final double HANDLER_ALLOWANCE = 8;

	private static final double ALLOWANCE = 2;

	/**
	 * Looks at what must be flat.
	 * @param samples the samples, in their order
	 * @return how each has changed
	 */
	public static List<Trend> of(List<SoakSample> samples) {
		Trend heap = of("heap, MB", samples, (sample) -> sample.heap() / MEBIBYTE);
		Trend handlers = of("handlers", samples, SoakSample::handlers);
		return List.of(new Trend(heap.name, heap.first, heap.last, Math.max(HEAP_ALLOWANCE, HEAP_SHARE * heap.first)),
				of("threads", samples, SoakSample::threads),
				new Trend(handlers.name, handlers.first, handlers.last, HANDLER_ALLOWANCE),
				of("connections", samples, SoakSample::clients), of("keys", samples, SoakSample::keys));
	}

	private static Trend of(String name, List<SoakSample> samples, ToDoubleFunction<SoakSample> value) {
		int third = Math.max(1, samples.size() / 3);
		return new Trend(name, median(samples.subList(0, third), value),
				median(samples.subList(samples.size() - third, samples.size()), value), ALLOWANCE);
	}

	private static double median(List<SoakSample> samples, ToDoubleFunction<SoakSample> value) {
		return Spread.of(samples.stream().map((sample) -> value.applyAsDouble(sample)).toList()).median();
	}

	/**
	 * Returns whether it has grown by no more than it may.
	 * @return whether it is flat
	 */
	public boolean isFlat() {
		return this.last - this.first <= this.allowance;
	}

}
