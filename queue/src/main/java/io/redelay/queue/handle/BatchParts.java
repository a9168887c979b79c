package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import io.redelay.queue.QueueWaitException;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.work.MessageStoppedException;
import org.jspecify.annotations.Nullable;

/**
 * Has parts of a batch handled, each by a handler of its own, one after the other. The
 * failure of a part does not affect the others: handled messages are acknowledged, or
 * left to their handler to acknowledge, and the batch fails with the rest.
 *
 * @param whole the whole batch
 * @param acknowledges whether messages are acknowledged when they are handled
 * @since 0.1.0
 */
public record BatchParts(List<Delivery> whole, boolean acknowledges) {

	/**
	 * Has the parts handled.
	 * @param parts the parts, by their handlers
	 * @return a stage to wait for, or {@code null} if the handling is complete
	 * @throws BatchFailedException if the handling of a part failed
	 */
	public @Nullable CompletionStage<?> handle(Map<DeliveryHandler, List<Delivery>> parts) {
		List<Part> handled = new ArrayList<>(parts.size());
		parts.forEach((handler, deliveries) -> handled.add(handle(handler, deliveries)));
		List<CompletableFuture<?>> awaited = new ArrayList<>(handled.size());
		handled.stream().map(Part::stage).filter((stage) -> !stage.isDone()).forEach(awaited::add);
		if (awaited.isEmpty()) {
			end(handled);
			return null;
		}
		AwaitedStages all = new AwaitedStages(awaited);
		CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new)).handle((done, failure) -> {
			try {
				end(handled);
				all.complete(null);
			}
			catch (Throwable ex) {
				all.completeExceptionally(ex);
			}
			return null;
		});
		return all;
	}

	/**
	 * Has a part of a batch handled. Positions in the part that the handler's failure
	 * names are translated to positions in the whole batch.
	 * @param part the part that the handler gets instead of the whole
	 * @param whole the whole batch
	 * @param handler handles the part
	 * @return a stage to wait for, or {@code null} if the handling is complete
	 * @throws Throwable if the handling failed
	 */
	public static @Nullable CompletionStage<?> handlePart(List<Delivery> part, List<Delivery> whole,
			DeliveryHandler handler) throws Throwable {
		try {
			CompletionStage<?> result = handler.handle(part);
			return (result == null || part.size() == whole.size()) ? result
					: AwaitedStages.of(result, (thrown) -> (Causes.unwrap(thrown) instanceof BatchFailedException ex)
							? inWhole(ex, part, whole) : Causes.unwrap(thrown));
		}
		catch (BatchFailedException ex) {
			throw inWhole(ex, part, whole);
		}
	}

	private static RuntimeException inWhole(BatchFailedException ex, List<Delivery> part, List<Delivery> whole) {
		Map<Integer, Throwable> failures = new HashMap<>();
		for (Map.Entry<Integer, Throwable> each : ex.getFailures().entrySet()) {
			int position = each.getKey();
			if (position < 0 || position >= part.size()) {
				return new IllegalStateException(
						"The BatchFailedException names the position " + position + " of a batch of " + part.size(),
						ex);
			}
			failures.put(whole.indexOf(part.get(position)), each.getValue());
		}
		return (ex instanceof PartsFailedException parts) ? parts.at(failures) : new BatchFailedException(failures);
	}

	private Part handle(DeliveryHandler handler, List<Delivery> deliveries) {
		try {
			CompletionStage<?> stage = handlePart(deliveries, this.whole, handler);
			return new Part(deliveries, (stage != null) ? AwaitedStages.of(stage, UnaryOperator.identity())
					: CompletableFuture.completedFuture(null));
		}
		catch (Throwable ex) {
			return new Part(deliveries, CompletableFuture.failedFuture(ex));
		}
	}

	/**
	 * Combines the outcomes of the parts.
	 */
	private void end(List<Part> parts) {
		Map<Integer, Throwable> failures = new HashMap<>();
		Set<Delivery> alone = new HashSet<>();
		Set<Delivery> left = new HashSet<>();
		Throwable undivided = null;
		for (Part part : parts) {
			Throwable failure = part.failure();
			if (failure == null) {
				left.addAll(this.acknowledges ? List.of() : part.deliveries());
			}
			else if (failure instanceof BatchFailedException some) {
				failures.putAll(some.getFailures());
			}
			else if (isOfEach(part, failure)) {
				part.deliveries().forEach((delivery) -> failures.put(this.whole.indexOf(delivery), failure));
			}
			else {
				alone.addAll(part.deliveries());
				undivided = (undivided != null) ? undivided : failure;
			}
		}
		if (!failures.isEmpty() || !alone.isEmpty()) {
			throw new PartsFailedException(failures, alone, undivided, left);
		}
	}

	/**
	 * Returns whether a failure counts for each message of a part: at most one is
	 * unsettled, or all of them are given back.
	 */
	private static boolean isOfEach(Part part, Throwable failure) {
		return part.deliveries().stream().filter((delivery) -> !delivery.isSettled()).count() <= 1
				|| isStop(part, failure) || Causes.find(failure, QueueWaitException.class) != null;
	}

	private static boolean isStop(Part part, Throwable failure) {
		return EarlyStops.unwrap(part.deliveries().get(0).reason(), failure) instanceof MessageStoppedException;
	}

	/**
	 * A part whose handling has begun.
	 *
	 * @param deliveries the part
	 * @param stage the future of its handling
	 */
	private record Part(List<Delivery> deliveries, CompletableFuture<?> stage) {

		@Nullable Throwable failure() {
			return this.stage
				.<@Nullable Throwable>handle((value, thrown) -> (thrown != null) ? Causes.unwrap(thrown) : null)
				.join();
		}

	}

	/**
	 * Thrown for a batch whose parts had a handler each. Deliveries that it does not name
	 * are acknowledged, except parts to be handled alone or left to their handlers to
	 * acknowledge.
	 */
	static final class PartsFailedException extends BatchFailedException {

		private final transient Set<Delivery> alone;

		private final transient Set<Delivery> left;

		private final @Nullable Throwable undivided;

		/**
		 * Creates the exception.
		 * @param failures why deliveries failed, by their positions in the batch
		 * @param alone the parts whose handlers did not name the failed deliveries
		 * @param undivided the exception of the first of these handlers, if there is one
		 * @param left the parts whose handlers are still to acknowledge
		 */
		PartsFailedException(Map<Integer, Throwable> failures, Set<Delivery> alone, @Nullable Throwable undivided,
				Set<Delivery> left) {
			super(failures);
			this.alone = alone;
			this.undivided = undivided;
			this.left = left;
		}

		/**
		 * Returns the same with other positions.
		 */
		PartsFailedException at(Map<Integer, Throwable> failures) {
			return new PartsFailedException(failures, this.alone, this.undivided, this.left);
		}

		/**
		 * Returns whether a delivery is to be handled alone.
		 */
		boolean isAlone(Delivery delivery) {
			return this.alone.contains(delivery);
		}

		/**
		 * Returns whether a delivery is neither acknowledged nor failed by this
		 * exception.
		 */
		boolean isOpen(Delivery delivery) {
			return this.alone.contains(delivery) || this.left.contains(delivery);
		}

		/**
		 * Returns the failure to report.
		 */
		Throwable toReport() {
			return (this.undivided != null) ? this.undivided : this;
		}

	}

}
