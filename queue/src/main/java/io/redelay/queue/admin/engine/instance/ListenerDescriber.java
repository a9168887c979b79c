package io.redelay.queue.admin.engine.instance;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.redelay.delivery.LockActivity;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.claim.ContainerState;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.diagnosis.FigureFormat;
import io.redelay.queue.failure.RetryBackoff;
import io.redelay.queue.failure.RetryDelay;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Describes a listener of this instance for other instances.
 */
record ListenerDescriber(RecentWork work, @Nullable LockActivity locks) {

	InstanceListener describe(QueueListenerContainer container) {
		ContainerSettings settings = container.getSettings();
		ContainerState state = container.getState();
		List<ListenedQueue> queues = new ArrayList<>();
		settings.queues().forEach((queue, each) -> queues.add(describe(queue, each, state)));
		return new InstanceListener(container.getId(), state(state), settings.concurrency().most(), state.busy(),
				state.waiting(), queues);
	}

	private static InstanceListener.State state(ContainerState state) {
		if (!state.running()) {
			return InstanceListener.State.STOPPED;
		}
		return state.paused() ? InstanceListener.State.PAUSED : InstanceListener.State.RUNNING;
	}

	private ListenedQueue describe(String queue, ContainerSettings.QueueSettings settings, ContainerState state) {
		ContainerState.Claims claims = state.claims().getOrDefault(queue, ContainerState.Claims.NONE);
		ClaimLimits limits = settings.limits();
		ClaimLimits.Shared shared = limits.shared();
		return new ListenedQueue(queue, state.gated().getOrDefault(queue, false), claims.since(), claims.time(),
				claims.unanswered(), this.work.meanHandling(queue), this.work.done(queue), this.work.failed(queue),
				(this.locks != null) ? this.locks.refusals(queue) : 0, this.work.causes(queue), text(limits.rate()),
				limits.maxInFlight(), text(limits.keyRate()), limits.keyMaxInFlight(),
				(shared != null) ? shared.name() : null, (shared != null) ? text(shared.rate()) : null,
				(shared != null) ? shared.maxInFlight() : null, limitedBy(claims),
				settings.failures().retries().maxAttempts(), text(settings.failures().retries().backoff()),
				settings.leaseTime(), state.waitsFor().get(queue), settings.failures().deadLetters().target(),
				settings.failures().deadLetters().redrive(), state.inHands().getOrDefault(queue, 0),
				(this.locks != null) ? this.work.perHandling(queue, this.locks.waited(queue)) : null);
	}

	private static Set<ListenedQueue.Limit> limitedBy(ContainerState.Claims claims) {
		Set<ListenedQueue.Limit> limits = EnumSet.noneOf(ListenedQueue.Limit.class);
		for (ClaimLimits.Kind kind : claims.limitedBy()) {
			limits.add(ListenedQueue.Limit.valueOf(kind.name()));
		}
		return limits;
	}

	private static @Nullable String text(@Nullable RateLimit rate) {
		return (rate != null) ? rate.toString() : null;
	}

	private static String text(RetryDelay delay) {
		if (delay instanceof RetryBackoff backoff) {
			return FigureFormat.time(backoff.initialInterval()) + ", times "
					+ FigureFormat.trimmed(backoff.multiplier()) + ", up to "
					+ FigureFormat.time(backoff.maxInterval());
		}
		return delay.getClass().getSimpleName();
	}

}
