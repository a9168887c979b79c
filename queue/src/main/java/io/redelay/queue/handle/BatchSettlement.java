package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
	 * Settles several deliveries, those of one queue or partition with one request.
	 * @param deliveries the deliveries
	 * @param settlement settles each
	 */
	public static void settleTogether(List<Delivery> deliveries, Consumer<Delivery> settlement) {
		if (deliveries.size() == 1) {
			settlement.accept(deliveries.get(0));
		}
		else {
			gather(deliveries, () -> deliveries.forEach(settlement));
		}
	}

	/**
	 * Runs an action that settles several deliveries, those of each owner with one
	 * request.
	 */
	static void gather(List<Delivery> deliveries, Runnable settlements) {
		if (deliveries.size() == 1) {
			deliveries.get(0).owner().gather(settlements);
			return;
		}
		Runnable all = settlements;
		for (DeliveryOwner owner : deliveries.stream().map(Delivery::owner).distinct().toList()) {
			Runnable inner = all;
			all = () -> owner.gather(inner);
		}
		all.run();
	}

	/**
	 * Settles the deliveries together, as after exceptions of their handlers, but calls
	 * no error handler.
	 * @param deliveries the deliveries
	 * @param failures why the delivery at a position failed, or {@code null} if it is to
	 * be acknowledged
	 */
	public static void settle(List<Delivery> deliveries, IntFunction<@Nullable Throwable> failures) {
		List<@Nullable Throwable> thrown = new ArrayList<>(deliveries.size());
		for (int position = 0; position < deliveries.size(); position++) {
			Throwable failure = failures.apply(position);
			thrown.add((failure != null) ? EarlyStops.unwrap(deliveries.get(position).reason(), failure) : null);
		}
		gather(deliveries, () -> {
			for (int position = 0; position < deliveries.size(); position++) {
				deliveries.get(position).settlement().ended(thrown.get(position), thrown.get(position));
			}
		});
	}

}
