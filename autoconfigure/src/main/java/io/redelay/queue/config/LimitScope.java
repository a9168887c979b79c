package io.redelay.queue.config;

import io.redelay.queue.listener.ClaimRuntime;
import io.redelay.queue.listener.ContainerSettings;
import io.redelay.queue.store.ClaimLimits;

/**
 * Checks that the limits of a listener are counted in one place: one script must see all
 * that counts.
 */
final class LimitScope {

	private LimitScope() {
	}

	static void check(QueueListenerEndpoint endpoint, ContainerSettings settings, ClaimRuntime claims) {
		settings.queues().forEach((queue, each) -> {
			ClaimLimits limits = each.limits();
			if (limits.shared() != null && claims.store().isClustered()) {
				throw endpoint.invalid("sharedLimit",
						"the limit '" + limits.shared().name()
								+ "' would be shared by queues on several masters of a Redis Cluster, and no script"
								+ " can count on more than one",
						"Send what shares a limit to one queue, with a fairness key for each kind, or use one Redis"
								+ " server");
			}
			int partitions = claims.partitions().configured(queue);
			if (limits.isLimited() && partitions > 1) {
				throw endpoint.invalid(attribute(limits),
						"the queue '" + queue + "' has " + partitions
								+ " partitions, and no script can count over more than one",
						"Leave the limit out, or set redelay.queue.queues." + queue + ".partitions=1");
			}
		});
	}

	private static String attribute(ClaimLimits limits) {
		if (limits.rate() != null) {
			return "rateLimit";
		}
		if (limits.maxInFlight() != null) {
			return "maxInFlight";
		}
		if (limits.keyRate() != null) {
			return "keyRateLimit";
		}
		return (limits.keyMaxInFlight() != null) ? "keyMaxInFlight" : "sharedLimit";
	}

}
