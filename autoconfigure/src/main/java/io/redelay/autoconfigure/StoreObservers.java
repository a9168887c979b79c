package io.redelay.autoconfigure;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.redelay.queue.admin.engine.DrainedQueues;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeleteScript;

import org.springframework.util.function.SingletonSupplier;

/**
 * Observes the requests of the stores of one server. What needs a store itself is looked
 * up at the first request that concerns it.
 */
final class StoreObservers {

	private final ScriptObservers observers;

	private final QueueMeters meters;

	private final SingletonSupplier<RecurringEngine> recurring;

	StoreObservers(ScriptObservers application, ServerMeters meters, Supplier<AdminScripts> store,
			Supplier<DrainedQueues> drained, Supplier<RecurringEngine> recurring) {
		SingletonSupplier<DrainedQueues> queues = SingletonSupplier.of(drained);
		this.observers = application.ofServer((queue, time) -> queues.obtain().drained(queue, time));
		this.meters = meters.ofServer(store, this.observers);
		this.recurring = SingletonSupplier.of(recurring);
	}

	ScriptObservers observers() {
		return this.observers;
	}

	QueueMeters meters() {
		return this.meters;
	}

	ScriptListeners toListeners(Runnable maintenance, BiConsumer<String, Instant> packed) {
		return new ScriptListeners(this.observers, (queue) -> this.recurring.obtain().care().putBackSoon(queue),
				maintenance, packed);
	}

	AdminScripts addTo(AdminScripts store) {
		store.observe(this.observers);
		store.whenTicksGo((queue) -> this.recurring.obtain().care().putBack(queue),
				(queue) -> this.recurring.obtain().care().putBackSoon(queue));
		store.watchDeletions(new RecurringWatch());
		return store;
	}

	private final class RecurringWatch implements DeleteScript.Watch {

		@Override
		public CompletableFuture<Map<String, Long>> recurring(String queue) {
			return StoreObservers.this.recurring.obtain().deletion().recurring(queue);
		}

		@Override
		public void deleted(String queue, Map<String, Long> recurring) {
			StoreObservers.this.recurring.obtain().deletion().deleted(queue, recurring);
		}

	}

}
