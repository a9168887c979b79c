package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.queue.script.MoveListener;

/**
 * What is called when scripts of the administration have moved or removed messages.
 */
final class AdminCallbacks {

	private volatile MoveListener moves = MoveListener.NONE;

	private volatile Function<String, CompletableFuture<?>> ticksGone = (queue) -> CompletableFuture
		.completedFuture(null);

	private volatile Consumer<String> someTicksGone = (queue) -> {
	};

	private volatile DeleteScript.Watch deletions = DeleteScript.Watch.NONE;

	private volatile BiConsumer<String, Instant> drained = (queue, time) -> {
	};

	void setMoveListener(MoveListener listener) {
		this.moves = listener;
	}

	void whenTicksGo(Function<String, CompletableFuture<?>> look, Consumer<String> lookSoon) {
		this.ticksGone = look;
		this.someTicksGone = lookSoon;
	}

	void watchDeletions(DeleteScript.Watch watch) {
		this.deletions = watch;
	}

	void whenDrained(BiConsumer<String, Instant> callback) {
		this.drained = callback;
	}

	MoveListener moves() {
		return this.moves;
	}

	DeleteScript.Watch deletions() {
		return this.deletions;
	}

	/**
	 * Restores recurring messages whose ticks a purge or a deletion may have removed.
	 */
	CompletableFuture<?> restoreTicks(String queue) {
		return this.ticksGone.apply(queue);
	}

	/**
	 * Restores recurring messages some time after commands may have removed ticks.
	 */
	void restoreTicksSoon(String queue) {
		this.someTicksGone.accept(queue);
	}

	/**
	 * Called with a queue, or a partition, whose last living message has gone.
	 */
	void drained(String queue, Instant time) {
		this.drained.accept(queue, time);
	}

}
