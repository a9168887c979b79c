package io.redelay.queue.config;

import java.util.function.Function;

import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.ClaimRuntime;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the limits of a listener are counted in one place: one script must see all
 * that counts.
 */
final class LimitScope {

	private LimitScope() {
	}

	static void check(QueueListenerEndpoint endpoint, ContainerSettings settings, ListenerDefaults defaults,
			ClaimRuntime claims) {
		settings.queues().forEach((queue, each) -> {
			ClaimLimits limits = each.limits();
			if (limits.shared() != null && claims.scripts().runner().isClustered()) {
				throw endpoint.invalid(
						defaults
							.first(queue, "sharedLimit", text(endpoint.annotation().sharedLimit()),
									(values) -> values.limits().sharedLimit())
							.attribute(),
						"the limit '" + limits.shared().name()
								+ "' would be shared by queues on several masters of a Redis Cluster, and no script"
								+ " can count on more than one",
						"Send what shares a limit to one queue, with a fairness key for each kind, or use one Redis"
								+ " server");
			}
			int partitions = claims.partitions().configured(queue);
			if (limits.isLimited() && partitions > 1) {
				throw endpoint.invalid(attribute(endpoint.annotation(), queue, limits, defaults),
						"the queue '" + queue + "' has " + partitions
								+ " partitions, and no script can count over more than one",
						"Leave the limit out, or set redelay.queue.queues." + queue + ".partitions=1");
			}
		});
	}

	private static String attribute(QueueListener annotation, String queue, ClaimLimits limits,
			ListenerDefaults defaults) {
		if (limits.rate() != null) {
			return defaults
				.first(queue, "rateLimit", text(annotation.rateLimit()), (values) -> values.limits().rateLimit())
				.attribute();
		}
		if (limits.maxInFlight() != null) {
			return defaults
				.first(queue, "maxInFlight", text(annotation.maxInFlight()),
						values((values) -> values.limits().maxInFlight()))
				.attribute();
		}
		if (limits.keyRate() != null) {
			return defaults
				.first(queue, "keyRateLimit", text(annotation.keyRateLimit()),
						(values) -> values.limits().keyRateLimit())
				.attribute();
		}
		if (limits.keyMaxInFlight() != null) {
			return defaults
				.first(queue, "keyMaxInFlight", text(annotation.keyMaxInFlight()),
						values((values) -> values.limits().keyMaxInFlight()))
				.attribute();
		}
		return defaults
			.first(queue, "sharedLimit", text(annotation.sharedLimit()), (values) -> values.limits().sharedLimit())
			.attribute();
	}

	private static Function<ListenerValues, @Nullable String> values(
			Function<ListenerValues, @Nullable Integer> property) {
		return (values) -> {
			Integer value = property.apply(values);
			return (value != null) ? value.toString() : null;
		};
	}

	private static @Nullable String text(String value) {
		return value.isEmpty() ? null : value;
	}

}
