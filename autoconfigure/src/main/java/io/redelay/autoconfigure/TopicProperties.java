package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.topic.TopicSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Properties of a topic.
 *
 * @param groupExpiry How long a group with a name lives without a consumer. After that it
 * is removed with all its messages. By default for ever.
 * @param instanceGroupExpiry How long the group of an instance, which a listener without
 * a group has, lives after the last sign of the instance.
 * @param retention How many published messages are kept, so that a group can get them
 * once more. Kept in Redis, for all applications.
 * @param groups Properties of groups of the topic, by name. Applied by listeners.
 * @since 0.1.0
 */
public record TopicProperties(@Nullable Duration groupExpiry, @DefaultValue("1m") Duration instanceGroupExpiry,
		@DefaultValue Retention retention, @DefaultValue Map<String, Group> groups) {

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
	 * Properties of a group of a topic.
	 *
	 * @param filter Which messages the group gets copies of, by the names of their
	 * headers. All conditions must hold. By default the group gets each message.
	 */
	public record Group(@DefaultValue Map<String, HeaderProperties> filter) {

		GroupFilter toFilter(String topic, String group) {
			GroupFilter all = GroupFilter.NONE;
			for (Map.Entry<String, HeaderProperties> header : this.filter.entrySet()) {
				String place = "'redelay.queue.topics." + topic + ".groups." + group + ".filter." + header.getKey()
						+ "'";
				try {
					GroupFilter extended = header.getValue().addTo(all, header.getKey());
					Assert.isTrue(!extended.equals(all),
							"nothing is asked of the header; give one of equal-to, one-of, prefix and exists");
					all = extended;
				}
				catch (IllegalArgumentException ex) {
					throw new InvalidQueuePropertyException(place + ": " + ex.getMessage(), "Correct the property", ex);
				}
			}
			return all;
		}

	}

	/**
	 * The condition on a header.
	 *
	 * @param equalTo The value that it must have.
	 * @param oneOf The values of which it must have one.
	 * @param prefix The prefix that its value must have.
	 * @param exists Whether the message must have the header, or must not have it.
	 */
	public record HeaderProperties(@Nullable String equalTo, @DefaultValue List<String> oneOf, @Nullable String prefix,
			@Nullable Boolean exists) {

		private GroupFilter addTo(GroupFilter given, String header) {
			GroupFilter filter = given;
			if (this.equalTo != null) {
				filter = filter.equalTo(header, this.equalTo);
			}
			if (!this.oneOf.isEmpty()) {
				filter = filter.oneOf(header, this.oneOf.toArray(String[]::new));
			}
			if (this.prefix != null) {
				filter = filter.prefix(header, this.prefix);
			}
			return (this.exists != null) ? filter.exists(header, this.exists) : filter;
		}

	}

	/**
	 * How many messages published to a topic are kept. If one property is set, the others
	 * do not limit it; if all that are set are 0, nothing is kept any more.
	 *
	 * @param maxAge For how long. 0 does not limit it.
	 * @param maxCount How many messages. 0 does not limit it.
	 * @param maxBytes Their total size. 0 does not limit it.
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
