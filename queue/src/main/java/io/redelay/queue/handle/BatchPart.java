package io.redelay.queue.handle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.failure.Causes;
import org.jspecify.annotations.Nullable;

/**
 * The part of a batch that a handler gets instead of the whole.
 *
 * @param deliveries the part
 * @param whole the whole batch
 * @since 0.1.0
 */
public record BatchPart(List<Delivery> deliveries, List<Delivery> whole) {

	/**
	 * Has the part handled. Positions in the part that the handler's failure names are
	 * translated to positions in the whole batch.
	 * @param handler handles the part
	 * @return a stage to wait for, or {@code null} if the handling is complete
	 * @throws Throwable if the handling failed
	 */
	public @Nullable CompletionStage<?> handle(DeliveryHandler handler) throws Throwable {
		try {
			CompletionStage<?> result = handler.handle(this.deliveries);
			boolean asGiven = this.deliveries.size() == this.whole.size();
			return (result == null || asGiven) ? result : AwaitedStages.of(result,
					(thrown) -> (Causes.unwrap(thrown) instanceof BatchFailedException ex) ? inWhole(ex)
							: Causes.unwrap(thrown));
		}
		catch (BatchFailedException ex) {
			throw inWhole(ex);
		}
	}

	private RuntimeException inWhole(BatchFailedException ex) {
		Map<Integer, Throwable> failures = new HashMap<>();
		for (Map.Entry<Integer, Throwable> each : ex.getFailures().entrySet()) {
			int position = each.getKey();
			if (position < 0 || position >= this.deliveries.size()) {
				return new IllegalStateException("The BatchFailedException names the position " + position
						+ " of a batch of " + this.deliveries.size(), ex);
			}
			failures.put(this.whole.indexOf(this.deliveries.get(position)), each.getValue());
		}
		return (ex instanceof PartsFailedException parts) ? parts.at(failures) : new BatchFailedException(failures);
	}

}
