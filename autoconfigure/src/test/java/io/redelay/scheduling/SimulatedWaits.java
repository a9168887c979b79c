package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import io.redelay.test.VirtualTime;

/**
 * Lets the time go on while a task waits for an answer, which would else stop all that
 * runs on its thread.
 */
public final class SimulatedWaits {

	/**
	 * No answer takes as long.
	 */
	private static final Duration LONGEST = Duration.ofMinutes(30);

	private SimulatedWaits() {
	}

	/**
	 * Runs a task that may wait.
	 * @param isOver whether the task is to end where it waits
	 */
	public static void run(Runnable task, VirtualTime time, BooleanSupplier isOver) {
		try {
			AnswerLimit.waitingBy((answer, limitNanos) -> await(answer, limitNanos, time, isOver), task);
		}
		catch (OverException ex) {
			// It was killed.
		}
	}

	private static void await(Future<?> answer, long limitNanos, VirtualTime time, BooleanSupplier isOver)
			throws TimeoutException {
		long began = time.nanoTime();
		if (limitNanos < LONGEST.toNanos()) {
			// Time stops here at the latest.
			time.schedule(() -> {
			}, limitNanos);
		}
		time.waitFor(() -> answer.isDone() || isOver.getAsBoolean()
				|| time.nanoTime() - began >= Math.min(limitNanos, LONGEST.toNanos()));
		if (isOver.getAsBoolean()) {
			throw new OverException();
		}
		if (!answer.isDone() && limitNanos < LONGEST.toNanos()) {
			throw new TimeoutException();
		}
		if (!answer.isDone()) {
			throw new IllegalStateException("A task waits for an answer for ever");
		}
	}

	/**
	 * Ends a task whose instance was killed.
	 */
	@SuppressWarnings("serial")
	private static final class OverException extends RuntimeException {

	}

}
