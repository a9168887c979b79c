package io.redelay.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.OutputType;

import static org.awaitility.Awaitility.await;

/**
 * Makes the picture of the console for the guide: {@code ./mvnw -pl console -am test
 * -Dtest=ConsoleScreenshots -Dsurefire.failIfNoSpecifiedTests=false
 * -Dconsole.images=../docs/src/docs/asciidoc/images}.
 */
@EnabledIfSystemProperty(named = "console.images", matches = ".+")
class ConsoleScreenshots {

	@RegisterExtension
	static final Browser browser = new Browser();

	@Test
	void overview() throws Exception {
		try (RedisServer shop = RedisServer.builder().config("save 3600 1").start()) {
			StoppedApplication.leaveIn(shop);
			try (Console console = Console.start("shop.url=" + shop.uri(), "billing.url=redis://localhost:1")) {
				await().until(() -> console.isConnected("shop"));
				browser.command("Emulation.setDeviceMetricsOverride",
						Map.of("width", 1180, "height", 350, "deviceScaleFactor", 1, "mobile", false));
				browser.command("Emulation.setScrollbarsHidden", Map.of("hidden", true));
				browser.open(console.address(""));
				browser.see("tbody tr:nth-child(1)", "onnection refused");
				browser.see("tbody tr:nth-child(2)", "stopped");
				write("console");
			}
		}
	}

	private static void write(String name) throws IOException {
		Files.write(Path.of(System.getProperty("console.images"), name + ".png"),
				browser.driver().getScreenshotAs(OutputType.BYTES));
	}

}
