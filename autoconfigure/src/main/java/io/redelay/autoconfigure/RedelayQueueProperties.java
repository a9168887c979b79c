package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.request.SenderMemory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties that all queues share.
 *
 * @param enabled Whether to set up sending and listening.
 * @param keyPrefix Prefix of all keys in Redis. Applications that share queues share it.
 * @param resendTimeout How long a request to Redis is sent again while no answer comes,
 * 5m at most.
 * @param safetyPollInterval How often an idle listener looks for messages without a
 * wake-up. Less often if an application has more than 80 queues.
 * @param shutdownTimeout How long to wait for running handlers when the application
 * stops. By default nine tenths of spring.lifecycle.timeout-per-shutdown-phase.
 * @param instanceName Display name of this instance, which is kept with failed attempts.
 * By default the name of its host and the number of its process.
 * @param forgetAfter How long a queue must have had no messages, listeners, settings and
 * history before its name is removed. By default it never is.
 * @param farHorizon How far away the due time of scheduled messages must be for them to
 * be packed in Redis, where they take less memory; 0 to pack none, and to unpack what is
 * packed.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
record RedelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("30s") Duration resendTimeout, @DefaultValue("5s") Duration safetyPollInterval,
		@Nullable Duration shutdownTimeout, @Nullable String instanceName, @Nullable Duration forgetAfter,
		@DefaultValue("1h") Duration farHorizon) {

	/**
	 * Checks the values.
	 */
	public RedelayQueueProperties {
		if (!keyPrefix.matches("[A-Za-z0-9][A-Za-z0-9._:-]*")) {
			throw new IllegalArgumentException(
					"'redelay.queue.key-prefix' must be of letters, digits, '.', '_', ':' and '-': '" + keyPrefix
							+ "'");
		}
		PropertyBounds.atLeast("redelay.queue.resend-timeout", resendTimeout, Duration.ZERO);
		if (resendTimeout.compareTo(SenderMemory.LONGEST_RESEND) > 0) {
			throw new IllegalArgumentException(
					"'redelay.queue.resend-timeout' must be at most " + SenderMemory.LONGEST_RESEND.toMinutes()
							+ "m, for later Redis may not recognise a request that comes again: " + resendTimeout);
		}
		PropertyBounds.atLeast("redelay.queue.safety-poll-interval", safetyPollInterval, Duration.ofMillis(100));
		PropertyBounds.atLeast("redelay.queue.shutdown-timeout", shutdownTimeout, Duration.ZERO);
		if (forgetAfter != null && !ForgetSettings.isPossible(forgetAfter)) {
			throw new IllegalArgumentException(
					"'redelay.queue.forget-after' must be 0, for never, or " + ForgetSettings.SHORTEST.toSeconds()
							+ "s to " + DueTime.LONGEST_DELAY.toDays() + "d: " + forgetAfter);
		}
		if (!FarSettings.isPossible(farHorizon)) {
			throw new IllegalArgumentException("'redelay.queue.far-horizon' must be 0, for none, or at least "
					+ FarSettings.SHORTEST.toSeconds() + "s: " + farHorizon);
		}
	}

	String toInstanceName() {
		return (this.instanceName != null) ? this.instanceName : InstanceName.get();
	}

}
