package io.redelay.queue.listener;

import java.util.List;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * Settles the deliveries of a batch together, after it was decided which of them failed.
 *
 * @since 0.1.0
 */
public final class BatchSettlement {

	private BatchSettlement() {
	}

	/**
	 * Settles the deliveries together, as after exceptions of their handlers, but asks no
	 * error handler.
	 * @param deliveries the deliveries
	 * @param failures why the delivery at a position failed, or {@code null} if it is to
	 * be acknowledged
	 */
	public static void settle(List<Delivery> deliveries, IntFunction<@Nullable Throwable> failures) {
		settle(Outcome.of(deliveries, failures, null));
	}

	/**
	 * Settles the deliveries together. If the settlement of one fails, the others are
	 * settled nevertheless.
	 */
	static void settle(List<Outcome> outcomes) {
		Delivery.gather(outcomes.stream().map(Outcome::delivery).toList(),
				() -> outcomes.forEach(BatchSettlement::settle));
	}

	private static void settle(Outcome outcome) {
		try {
			outcome.settle();
		}
		catch (Throwable ex) {
			outcome.delivery().undecided(ex);
		}
	}

}
