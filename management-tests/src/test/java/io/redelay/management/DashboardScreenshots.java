package io.redelay.management;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.OutputType;

/**
 * Makes the pictures of the dashboard for the guide, of a {@link DashboardApplication}
 * that has run for a while, so that its charts show something:
 * {@code ./mvnw -pl management-tests -am test -Dtest=DashboardScreenshots -Dsurefire.failIfNoSpecifiedTests=false
 * -Ddashboard.page=http://localhost:18080/actuator/redelay}.
 */
@EnabledIfSystemProperty(named = "dashboard.page", matches = "http.*")
class DashboardScreenshots {

	private static final Path FOLDER = Path
		.of(System.getProperty("dashboard.images", "../docs/src/docs/asciidoc/images"));

	@RegisterExtension
	static final Browser browser = new Browser();

	@Test
	void overview() throws IOException {
		open("/", 700);
		browser.see("tbody tr");
		write("dashboard");
	}

	/**
	 * Takes a machine with a Chinese font, such as that of {@code fonts-wqy-microhei}.
	 */
	@Test
	void overviewInChinese() throws IOException {
		size(1180, 700, false);
		browser.open(System.getProperty("dashboard.page") + "?lang=zh#/");
		browser.see("tbody tr");
		write("dashboard-zh");
	}

	@Test
	void overviewOnAPhone() throws IOException {
		size(390, 844, true);
		show("/");
		browser.see("tbody tr");
		write("dashboard-phone");
	}

	@Test
	void deadLettersOfAllQueues() throws IOException {
		browser.prefersDark();
		open("/dead", 640);
		browser.click("tbody tr:nth-child(1) .tick");
		browser.click("tbody tr:nth-child(2) .tick");
		browser.see(".tick-bar", "2 ticked");
		write("dashboard-all-dead-letters");
	}

	@Test
	void whatRunsNow() throws IOException {
		open("/running", 640);
		browser.see(".code-line");
		write("dashboard-running");
	}

	@Test
	void queueWithItsDiagnosis() throws IOException {
		open("/queues/sms", 900);
		browser.see("canvas");
		write("dashboard-queue");
	}

	@Test
	void deadLettersByCause() throws IOException {
		browser.prefersDark();
		open("/queues/payments/dead", 540);
		browser.see(".cause");
		write("dashboard-dead-letters");
	}

	@Test
	void calendar() throws IOException {
		open("/queues/reminders/calendar", 890);
		browser.click("a.bar[aria-label*=': 5,000 due']");
		browser.see("section[aria-labelledby='bar-title']");
		write("dashboard-calendar");
	}

	@Test
	void calendarOnAPhone() throws IOException {
		browser.prefersDark();
		size(500, 1300, true);
		show("/queues/reminders/calendar");
		browser.click("a.bar[aria-label*=': 5,000 due']");
		browser.see("section[aria-labelledby='bar-title']");
		write("dashboard-calendar-phone");
	}

	@Test
	void lifeOfAMessage() throws IOException {
		open("/queues/payments/messages?state=DEAD&exception=java.lang.IllegalStateException", 620);
		browser.click("tbody th a");
		browser.see(".timeline");
		write("dashboard-message");
	}

	private static void open(String view, int height) {
		size(1180, height, false);
		show(view);
	}

	private static void size(int width, int height, boolean phone) {
		browser.command("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", phone));
		browser.command("Emulation.setScrollbarsHidden", Map.of("hidden", true));
	}

	private static void show(String view) {
		browser.open(System.getProperty("dashboard.page") + "#" + view);
		browser.see(".part");
	}

	private static void write(String name) throws IOException {
		Files.write(FOLDER.resolve(name + ".png"), browser.driver().getScreenshotAs(OutputType.BYTES));
	}

}
