package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.admin.engine.FarSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of messages whose content moves into a database.
 *
 * @param coldHorizon How far away the due time of packed messages must be for their
 * content to move into the database of the outbox; 0 to move none.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
record QueueColdProperties(@DefaultValue("0") Duration coldHorizon) {

	/**
	 * Returns how far away the due time must be.
	 * @param far which messages are packed
	 * @param database whether there is a database
	 */
	Duration toHorizon(FarSettings far, boolean database) {
		if (this.coldHorizon.isZero()) {
			return this.coldHorizon;
		}
		if (this.coldHorizon.compareTo(FarSettings.SHORTEST) < 0 || this.coldHorizon.compareTo(far.horizon()) < 0) {
			throw invalid("must be 0, for none, or at least " + FarSettings.SHORTEST.toSeconds()
					+ "s and 'redelay.queue.far-horizon', which is " + far.horizon()
					+ ", as only the content of packed messages moves", "Set a longer one");
		}
		if (far.horizon().isZero() && far.byQueue().values().stream().allMatch(Duration::isZero)) {
			throw invalid("moves nothing, as no queue has packed messages",
					"Set 'redelay.queue.far-horizon' or that of a queue");
		}
		if (!database) {
			throw invalid("needs a database for the content of messages, and there is none",
					"Add redelay-outbox and a DataSource, and leave 'redelay.outbox.enabled' on");
		}
		return this.coldHorizon;
	}

	private InvalidQueuePropertyException invalid(String problem, String mend) {
		return new InvalidQueuePropertyException(
				"'redelay.queue.cold-horizon' is " + this.coldHorizon + " and " + problem,
				mend + ", or set 'redelay.queue.cold-horizon' to 0", null);
	}

}
