package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.store.TopicRetention;
import io.redelay.queue.topic.TopicSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * What holds for a topic.
 *
 * @param groupExpiry How long a group with a name lives without a consumer. After that it
 * is removed with all that it has collected. By default for ever.
 * @param instanceGroupExpiry How long the group of an instance, which a listener without
 * a group has, lives after the instance was last heard of.
 * @param retention How much of what is published is kept, so that a group can be given it
 * once more. Kept in Redis, for all applications.
 * @since 0.1.0
 */
public record TopicProperties(@Nullable Duration groupExpiry, @DefaultValue("1m") Duration instanceGroupExpiry,
		@DefaultValue Retention retention) {

	/**
	 * Checks the values.
	 */
	public TopicProperties {
		PropertyBounds.atLeast("redelay.queue.topics.<name>.group-expiry", groupExpiry, Duration.ofSeconds(1));
		PropertyBounds.atLeast("redelay.queue.topics.<name>.instance-group-expiry", instanceGroupExpiry,
				Duration.ofSeconds(1));
	}

	TopicSettings toSettings() {
		return new TopicSettings((this.groupExpiry != null) ? this.groupExpiry : Duration.ZERO,
				this.instanceGroupExpiry, this.retention.toRetention());
	}

	/**
	 * How much of what is published to a topic is kept. If one is set, the others do not
	 * limit it; if all that are set are 0, nothing is kept any more.
	 *
	 * @param maxAge For how long. 0 does not limit it.
	 * @param maxCount How many messages. 0 does not limit it.
	 * @param maxBytes How large they are together. 0 does not limit it.
	 */
	public record Retention(@Nullable Duration maxAge, @Nullable Long maxCount, @Nullable DataSize maxBytes) {

		/**
		 * Checks the values.
		 */
		public Retention {
			PropertyBounds.atLeast("redelay.queue.topics.<name>.retention.max-age", maxAge, Duration.ZERO);
			Assert.isTrue(maxCount == null || maxCount >= 0,
					() -> "'redelay.queue.topics.<name>.retention.max-count' must be 0 or more: " + maxCount);
			Assert.isTrue(maxBytes == null || !maxBytes.isNegative(),
					() -> "'redelay.queue.topics.<name>.retention.max-bytes' must be 0 or more: " + maxBytes);
		}

		@Nullable TopicRetention toRetention() {
			if (this.maxAge == null && this.maxCount == null && this.maxBytes == null) {
				return null;
			}
			return new TopicRetention((this.maxAge != null) ? this.maxAge : Duration.ZERO,
					(this.maxCount != null) ? this.maxCount : 0, (this.maxBytes != null) ? this.maxBytes.toBytes() : 0);
		}

	}

}
