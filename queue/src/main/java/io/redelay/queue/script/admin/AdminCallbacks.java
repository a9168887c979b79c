package io.redelay.queue.script.admin;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.queue.script.ScriptObservers;

/**
 * What is called when scripts of the administration have moved or removed messages.
 */
final class AdminCallbacks {

	private volatile ScriptObservers observers = new ScriptObservers(System::nanoTime);

	private volatile Function<String, CompletableFuture<?>> ticksGone = (queue) -> CompletableFuture
		.completedFuture(null);

	private volatile Consumer<String> someTicksGone = (queue) -> {
	};

	private volatile DeleteScript.Watch deletions = DeleteScript.Watch.NONE;

	void observe(ScriptObservers observers) {
		this.observers = observers;
	}

	void whenTicksGo(Function<String, CompletableFuture<?>> look, Consumer<String> lookSoon) {
		this.ticksGone = look;
		this.someTicksGone = lookSoon;
	}

	void watchDeletions(DeleteScript.Watch watch) {
		this.deletions = watch;
	}

	ScriptObservers observers() {
		return this.observers;
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

}
