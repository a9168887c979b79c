package io.redelay.queue.batch.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.AckMode;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.handle.AwaitedStages;
import io.redelay.queue.handle.BatchSettlement;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.listener.Paused;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method with a batch. The result or exception of the method for elements of
 * the list becomes the failure of the deliveries that they stand for.
 *
 * @param elements what the method is given
 * @param mode how messages are acknowledged
 */
public record BatchCall(BatchElements elements, AckMode mode) {

	/**
	 * Calls the method.
	 * @param method the method with its arguments
	 * @return what to wait for, or {@code null} if the handling is complete
	 * @throws Throwable if the handling failed
	 */
	public @Nullable CompletionStage<?> handle(Callable<@Nullable Object> method) throws Throwable {
		try {
			Object returned = method.call();
			CompletionStage<?> stage = HandlerResults.await(returned);
			if (stage != null) {
				return await(stage);
			}
			complete(returned);
			return null;
		}
		catch (BatchFailedException ex) {
			throw ofDeliveries(ex);
		}
	}

	private CompletionStage<?> await(CompletionStage<?> stage) {
		AwaitedStages awaited = new AwaitedStages(List.of(stage));
		stage.handle((value, failure) -> {
			try {
				if (failure != null) {
					throw failure;
				}
				complete(value);
				return awaited.complete(null);
			}
			catch (Throwable ex) {
				return awaited.completeExceptionally(
						(Causes.unwrap(ex) instanceof BatchFailedException parts) ? ofDeliveries(parts) : ex);
			}
		});
		return awaited;
	}

	/**
	 * Applies a result, if the method returned one.
	 */
	private void complete(@Nullable Object returned) {
		if (returned instanceof Paused paused) {
			throw paused.toException();
		}
		if (!(returned instanceof BatchResult result)) {
			return;
		}
		if (!result.isEmpty()) {
			throw new BatchFailedException(result);
		}
		if (this.mode == AckMode.MANUAL) {
			BatchSettlement.settleTogether(this.elements.deliveries(), Delivery::acknowledge);
		}
	}

	/**
	 * Translates elements, and their positions, to positions of deliveries.
	 */
	private RuntimeException ofDeliveries(BatchFailedException ex) {
		Map<Integer, Throwable> failures;
		try {
			failures = this.elements.failures(ex.getResult());
		}
		catch (RuntimeException unknown) {
			unknown.addSuppressed(ex);
			return new IllegalStateException(
					"It is not known which messages of a batch failed. " + FailureText.describe(unknown), unknown);
		}
		return new BatchFailedException(failures);
	}

}
