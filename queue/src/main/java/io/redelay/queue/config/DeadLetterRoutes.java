package io.redelay.queue.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.handle.ContainerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The queues to which dead messages are forwarded, as far as the listeners of an
 * application declare them. Rejects listeners that contradict each other, and circular
 * routes.
 */
final class DeadLetterRoutes {

	/**
	 * The routes by queue, all of which have the same target.
	 */
	private final Map<String, List<Route>> routes = new HashMap<>();

	synchronized void add(QueueListenerEndpoint endpoint, ContainerSettings settings, DeadLetterDefaults defaults) {
		settings.queues().forEach((queue, each) -> {
			DeadLetterSettings deadLetters = each.failures().deadLetters();
			if (deadLetters.source() != null) {
				add(deadLetters.source(), new Route(queue, "deadLettersOf", endpoint));
			}
			if (deadLetters.target() != null) {
				add(queue,
						new Route(deadLetters.target(), DeadLetterResolver.targetAttribute(defaults, queue), endpoint));
			}
		});
	}

	private void add(String queue, Route route) {
		if (route.target().equals(queue)) {
			throw route.invalid("the queue '" + queue + "' would be its own dead-letter queue", "Name another queue");
		}
		Route other = route(queue);
		if (other != null && !other.target().equals(route.target())) {
			throw route.invalid(
					"the dead messages of the queue '" + queue + "' go to the queue '" + other.target()
							+ "' already, as the '" + other.attribute() + "' of the " + other.endpoint() + " says",
					mend(route, other));
		}
		refuseCircle(queue, route);
		this.routes.computeIfAbsent(queue, (name) -> new ArrayList<>()).add(route);
	}

	private @Nullable Route route(String queue) {
		List<Route> declared = this.routes.get(queue);
		return (declared != null) ? declared.get(0) : null;
	}

	/**
	 * Forgets the routes of a removed listener.
	 */
	synchronized void remove(QueueListenerEndpoint endpoint) {
		this.routes.values().removeIf((declared) -> {
			declared.removeIf((route) -> route.endpoint().id().equals(endpoint.id()));
			return declared.isEmpty();
		});
	}

	private static String mend(Route route, Route other) {
		if (route.isListenedTo()) {
			return "Listen to them with queues = \"" + other.target() + "\" instead";
		}
		return other.isListenedTo()
				? "Leave it out, or replace the other's deadLettersOf by queues = \"" + route.target() + "\""
				: "Name the same queue in both, or say it under redelay.queue.queues";
	}

	private void refuseCircle(String queue, Route route) {
		Set<String> path = new LinkedHashSet<>();
		path.add(queue);
		Route next = route;
		while (next != null) {
			if (!path.add(next.target())) {
				throw route.invalid(
						"dead messages would go in a circle: " + String.join(" -> ", path) + " -> " + next.target(),
						"Let one of these queues keep its dead messages");
			}
			next = route(next.target());
		}
	}

	/**
	 * The route of the dead messages of a queue.
	 *
	 * @param target the other queue
	 * @param attribute the attribute that declares it
	 * @param endpoint the listener that declares it
	 */
	private record Route(String target, String attribute, QueueListenerEndpoint endpoint) {

		boolean isListenedTo() {
			return this.attribute.equals("deadLettersOf");
		}

		InvalidQueueListenerException invalid(String problem, String mend) {
			return this.endpoint.invalid(this.attribute, problem, mend);
		}

	}

}
