package io.redelay.autoconfigure;

import io.redelay.guard.GuardLevel;
import io.redelay.guard.GuardSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the checks of properties and of Redis at start-up.
 *
 * @param evictionPolicy The reaction if Redis evicts keys when its memory is full: off to
 * not check it, warn to log it, fail to not start.
 * @param persistence The reaction if Redis writes nothing to its disk.
 * @param serverVersion The reaction if the version of the server is not supported.
 * @param permissions The reaction if the user of Redis does not have the rights that
 * queues and locks need.
 * @param unknownProperties The reaction if a property of redelay is set that does not
 * exist.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.guard")
record RedelayGuardProperties(@DefaultValue("warn") GuardLevel evictionPolicy,
		@DefaultValue("warn") GuardLevel persistence, @DefaultValue("warn") GuardLevel serverVersion,
		@DefaultValue("warn") GuardLevel permissions, @DefaultValue("warn") GuardLevel unknownProperties) {

	GuardSettings toSettings() {
		return new GuardSettings(this.evictionPolicy, this.persistence, this.serverVersion, this.permissions);
	}

}
