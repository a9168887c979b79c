package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.queue.claim.ContainerState;
import io.redelay.queue.claim.QueueListenerContainer;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports whether the listeners of this instance get messages: {@code DOWN} if Redis has
 * not answered the claims of a running one for some time. A stopped or paused listener is
 * shown, and is no failure. It sends no request to Redis, but shows the state of the
 * listeners.
 *
 * @since 0.1.0
 */
public final class ListenersHealthIndicator implements HealthIndicator {

	/**
	 * How many listeners are shown one by one.
	 */
	private static final int SHOWN = 100;

	private final Supplier<? extends Collection<QueueListenerContainer>> listeners;

	private final Duration maxSilence;

	/**
	 * Creates an indicator.
	 * @param listeners the listeners
	 * @param maxSilence how long claims may go unanswered
	 */
	public ListenersHealthIndicator(Supplier<? extends Collection<QueueListenerContainer>> listeners,
			Duration maxSilence) {
		this.listeners = listeners;
		this.maxSilence = maxSilence;
	}

	@Override
	public Health health() {
		Collection<QueueListenerContainer> all = this.listeners.get();
		if (all.isEmpty()) {
			return Health.unknown().withDetail("problem", "There are no listeners").build();
		}
		Map<String, Object> failing = new LinkedHashMap<>();
		Map<String, Object> others = new LinkedHashMap<>();
		for (QueueListenerContainer container : all) {
			ContainerState state = container.getState();
			boolean silent = isSilent(state);
			(silent ? failing : others).put(container.getId(), details(container, state));
		}
		Map<String, Object> shown = new LinkedHashMap<>();
		Stream.of(failing, others)
			.flatMap((some) -> some.entrySet().stream())
			.limit(SHOWN)
			.forEach((entry) -> shown.put(entry.getKey(), entry.getValue()));
		return (failing.isEmpty() ? Health.up() : Health.down()).withDetail("total", all.size())
			.withDetail("unanswered", failing.size())
			.withDetail("listeners", shown)
			.build();
	}

	/**
	 * Whether claims have gone unanswered for too long. There are no claims while the
	 * listener is paused or the gate is closed, so nothing is known then.
	 */
	private boolean isSilent(ContainerState state) {
		return state.running() && !state.paused() && state.claims().entrySet().stream().anyMatch((claims) -> {
			Duration silence = claims.getValue().silence();
			return silence != null && silence.compareTo(this.maxSilence) > 0
					&& !state.gated().getOrDefault(claims.getKey(), false);
		});
	}

	private static Map<String, Object> details(QueueListenerContainer container, ContainerState state) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("state", !state.running() ? "stopped" : state.paused() ? "paused" : "running");
		details.put("busy", state.busy());
		details.put("wakeUps", container.getRuntime().claims().signals().wakeUps().areHeard() ? "subscribed"
				: "not subscribed: it polls");
		Map<String, Object> queues = new LinkedHashMap<>();
		state.claims().forEach((queue, claims) -> queues.put(queue, describe(claims)));
		details.put("queues", queues);
		return details;
	}

	private static String describe(ContainerState.Claims claims) {
		Duration since = claims.since();
		String last = (since != null) ? "last answered claim " + since.toMillis() + " ms ago"
				: "no claim was answered yet";
		return claims.unanswered() ? last + ", and the present one is not answered" : last;
	}

}
