package io.redelay.migration;

// tag::imports[]
import java.time.Instant;
import java.util.Date;
import java.util.TimeZone;

import org.quartz.CronScheduleBuilder;
import org.quartz.CronTrigger;
import org.quartz.TriggerBuilder;
// end::imports[]

/**
 * The trigger of a report, for the guide.
 */
final class QuartzReports {

	private QuartzReports() {
	}

	// tag::quartz[]
	static CronTrigger nightly() {
		return TriggerBuilder.newTrigger()
			.withIdentity("nightly-report")
			.withSchedule(
					CronScheduleBuilder.cronSchedule("0 0 2 * * ?").inTimeZone(TimeZone.getTimeZone("Europe/Berlin")))
			.endAt(Date.from(Instant.parse("2027-03-01T11:00:00Z")))
			.build();
	}
	// end::quartz[]

}
