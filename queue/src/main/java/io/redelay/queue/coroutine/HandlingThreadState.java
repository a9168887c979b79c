package io.redelay.queue.coroutine;

import java.util.Map;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.redelay.delivery.DeliveryScope;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * Copies the state of the first thread to each thread on which the coroutine of a
 * handling goes on. The state is that a message is being handled, the entries of the MDC,
 * and, with Micrometer's context propagation on the class path, its context, such as the
 * observation.
 */
final class HandlingThreadState extends AbstractCoroutineContextElement
		implements ThreadContextElement<HandlingThreadState.Scope> {

	private static final Key KEY = new Key();

	private static final boolean LOGS = isPresent("org.slf4j.MDC");

	private static final boolean PROPAGATES = isPresent("io.micrometer.context.ContextSnapshotFactory");

	private final @Nullable Object handling = DeliveryScope.current();

	private final Propagation logs = LOGS ? new Logs() : Propagation.NONE;

	private final Propagation propagated = PROPAGATES ? new Propagated() : Propagation.NONE;

	/**
	 * Takes the state of this thread.
	 */
	HandlingThreadState() {
		super(KEY);
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, HandlingThreadState.class.getClassLoader());
	}

	@Override
	public Scope updateThreadContext(CoroutineContext context) {
		Scope snapshot = this.propagated.open();
		Scope log = this.logs.open();
		DeliveryScope delivery = (this.handling != null) ? DeliveryScope.open(this.handling) : null;
		return () -> {
			if (delivery != null) {
				delivery.close();
			}
			log.close();
			snapshot.close();
		};
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, Scope before) {
		before.close();
	}

	/**
	 * The time for which the coroutine runs on a thread.
	 */
	@FunctionalInterface
	interface Scope {

		void close();

	}

	@FunctionalInterface
	private interface Propagation {

		Propagation NONE = () -> () -> {
		};

		Scope open();

	}

	private static final class Logs implements Propagation {

		private final @Nullable Map<String, String> entries = MDC.getCopyOfContextMap();

		@Override
		public Scope open() {
			Map<String, String> before = MDC.getCopyOfContextMap();
			set(this.entries);
			return () -> set(before);
		}

		private static void set(@Nullable Map<String, String> entries) {
			if (entries != null) {
				MDC.setContextMap(entries);
			}
			else {
				MDC.clear();
			}
		}

	}

	private static final class Propagated implements Propagation {

		private final ContextSnapshot snapshot = ContextSnapshotFactory.builder().build().captureAll();

		@Override
		public Scope open() {
			return this.snapshot.setThreadLocals()::close;
		}

	}

	private static final class Key implements CoroutineContext.Key<HandlingThreadState> {

	}

}
