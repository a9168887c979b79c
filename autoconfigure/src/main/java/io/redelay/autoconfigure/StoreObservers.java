package io.redelay.autoconfigure;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.admin.engine.DrainedQueues;
import io.redelay.queue.event.engine.MessageTransitions;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeleteScript;

import org.springframework.util.function.SingletonSupplier;

/**
 * Observes the requests of the stores of one server. What needs a store itself is looked
 * up at the first request that concerns it.
 */
final class StoreObservers {

	private final MessageTransitions transitions;

	private final QueueMeters meters;

	private final SingletonSupplier<DrainedQueues> drained;

	private final SingletonSupplier<RecurringEngine> recurring;

	StoreObservers(MessageTransitions transitions, QueueMeters meters, Supplier<DrainedQueues> drained,
			Supplier<RecurringEngine> recurring) {
		this.transitions = transitions;
		this.meters = meters;
		this.drained = SingletonSupplier.of(drained);
		this.recurring = SingletonSupplier.of(recurring);
	}

	ScriptListeners toListeners(Runnable maintenance) {
		return new ScriptListeners(this.transitions, this.meters,
				(queue, time) -> this.drained.obtain().drained(queue, time),
				(queue) -> this.recurring.obtain().care().putBackSoon(queue), maintenance);
	}

	AdminScripts addTo(AdminScripts store) {
		store.setMoveListener(this.transitions);
		store.whenDrained((queue, time) -> this.drained.obtain().drained(queue, time));
		store.whenTicksGo((queue) -> this.recurring.obtain().care().putBack(queue),
				(queue) -> this.recurring.obtain().care().putBackSoon(queue));
		store.watchDeletions(new RecurringWatch());
		store.measure(this.meters);
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
