package io.redelay.queue.config;

import java.util.Map;
import java.util.stream.Stream;

import io.redelay.queue.claim.ClaimRuntime;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Resolves how many messages of a queue all instances claim together at most.
 *
 * @param declared what is declared for the queue
 * @param rate the limit of the rate
 * @param maxInFlight the limit of what is in hand
 * @param keyRate the limit of the rate of each key
 * @param keyMaxInFlight the limit of what is in hand of each key
 * @param shared the name of a limit that several queues share
 */
record LimitsResolver(DeclaredValues declared, ConfiguredValue<String> rate, ConfiguredValue<Integer> maxInFlight,
		ConfiguredValue<String> keyRate, ConfiguredValue<Integer> keyMaxInFlight, ConfiguredValue<String> shared) {

	static LimitsResolver of(DeclaredValues declared) {
		return new LimitsResolver(declared, declared.first("rateLimit", (values) -> values.limits().rateLimit()),
				declared.first("maxInFlight", (values) -> values.limits().maxInFlight()),
				declared.first("keyRateLimit", (values) -> values.limits().keyRateLimit()),
				declared.first("keyMaxInFlight", (values) -> values.limits().keyMaxInFlight()),
				declared.first("sharedLimit", (values) -> values.limits().sharedLimit()));
	}

	ClaimLimits resolve() {
		RateLimit rate = parse(this.rate);
		RateLimit keyRate = parse(this.keyRate);
		ClaimLimits.Shared shared = resolveShared();
		return this.declared.attributes()
			.checked(
					() -> new ClaimLimits(rate, this.maxInFlight.value(), keyRate, this.keyMaxInFlight.value(), shared),
					this.maxInFlight, this.keyMaxInFlight);
	}

	private @Nullable RateLimit parse(ConfiguredValue<String> rate) {
		String text = rate.value();
		if (text == null) {
			return null;
		}
		try {
			return RateLimit.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw this.declared.attributes()
				.invalid(rate.attribute(), String.valueOf(ex.getMessage()), "Write " + RateLimit.FORM);
		}
	}

	private ClaimLimits.@Nullable Shared resolveShared() {
		String name = this.shared.value();
		if (name == null) {
			return null;
		}
		Map<String, ClaimLimits.Shared> known = this.declared.defaults().sharedLimits();
		ClaimLimits.Shared shared = known.get(name);
		if (shared == null) {
			throw this.declared.attributes()
				.invalid(this.shared.attribute(),
						"no limit named '" + name + "' is configured: "
								+ (known.isEmpty() ? "there is none" : "there are " + known.keySet()),
						"Set redelay.queue.limits." + name + ".rate or redelay.queue.limits." + name
								+ ".max-in-flight");
		}
		return shared;
	}

	/**
	 * Checks that limits are counted in one place: one script must see all that counts.
	 */
	void checkScope(ClaimLimits limits, ClaimRuntime claims) {
		String queue = this.declared.queue();
		if (limits.shared() != null && claims.scripts().runner().isClustered()) {
			throw this.declared.attributes()
				.invalid(this.shared.attribute(),
						"the limit '" + limits.shared().name()
								+ "' would be shared by queues on several masters of a Redis Cluster, and no script"
								+ " can count on more than one",
						"Send what shares a limit to one queue, with a fairness key for each kind, or use one Redis"
								+ " server");
		}
		int partitions = claims.partitions().configured(queue);
		if (limits.isLimited() && partitions > 1) {
			throw this.declared.attributes()
				.invalid(firstAttribute(),
						"the queue '" + queue + "' has " + partitions
								+ " partitions, and no script can count over more than one",
						"Leave the limit out, or set redelay.queue.queues." + queue + ".partitions=1");
		}
	}

	private String firstAttribute() {
		return Stream.of(this.rate, this.maxInFlight, this.keyRate, this.keyMaxInFlight, this.shared)
			.filter((limit) -> limit.value() != null)
			.findFirst()
			.orElseThrow()
			.attribute();
	}

}
