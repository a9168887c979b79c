package io.redelay.queue.observation;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;

/**
 * An observation whose handlers cannot break the observed work: their exceptions are
 * logged.
 *
 * @since 0.1.0
 */
public final class GuardedObservation {

	/**
	 * Observes nothing.
	 */
	public static final GuardedObservation NONE = new GuardedObservation(Observation.NOOP);

	private static final Scope NO_SCOPE = () -> {
	};

	private static final Log logger = PlainLog.of(GuardedObservation.class);

	private final Observation observation;

	private GuardedObservation(Observation observation) {
		this.observation = observation;
	}

	/**
	 * Starts an observation.
	 * @param observation makes the observation, not started
	 * @return the observation
	 */
	public static GuardedObservation start(Supplier<Observation> observation) {
		try {
			return new GuardedObservation(observation.get().start());
		}
		catch (Throwable ex) {
			failed(ex);
			return NONE;
		}
	}

	/**
	 * Makes this observation the current one of the thread.
	 * @return the scope, to be closed on the same thread
	 */
	public Scope openScope() {
		if (this == NONE) {
			return NO_SCOPE;
		}
		try {
			Observation.Scope scope = this.observation.openScope();
			return () -> guard(scope::close);
		}
		catch (Throwable ex) {
			failed(ex);
			return NO_SCOPE;
		}
	}

	/**
	 * Records how the handling of a message ended.
	 * @param outcome the outcome
	 */
	public void outcome(String outcome) {
		if (this.observation.getContext() instanceof QueueProcessContext context) {
			context.setOutcome(outcome);
		}
	}

	/**
	 * Stops the observation of work that succeeded.
	 */
	public void stop() {
		guard(this.observation::stop);
	}

	/**
	 * Stops the observation of work that failed.
	 * @param failure the failure
	 */
	public void fail(Throwable failure) {
		outcome(QueueProcessContext.FAILED);
		guard(() -> this.observation.error(failure));
		guard(this.observation::stop);
	}

	private static void guard(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private static void failed(Throwable ex) {
		String what = "An observation failed, and what it observes goes on";
		try {
			logger.warn(what, ex);
		}
		catch (Throwable unprintable) {
			logger.warn(what + ": a " + ex.getClass().getName() + " that cannot be printed");
		}
	}

	/**
	 * The time during which the observation is the current one of a thread.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
