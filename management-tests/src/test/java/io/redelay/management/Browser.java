package io.redelay.management;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.awaitility.Awaitility.await;

/**
 * The Chromium of this machine without a window, one for all tests of a JVM; tests are
 * skipped where there is none. Each test begins at the width of a desktop, in the light
 * theme, with nothing in the local storage.
 */
final class Browser implements BeforeAllCallback, BeforeEachCallback {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Browser.class);

	private ChromeDriver driver;

	@Override
	public void beforeAll(ExtensionContext context) {
		Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome", "chrome");
		Optional<Path> chromedriver = onPath("chromedriver");
		Assumptions.assumeTrue(chromium.isPresent() && chromedriver.isPresent(),
				"Skipped: no chromium and chromedriver on the PATH (apt-get install chromium chromium-driver)");
		this.driver = context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent("chromium", key -> new Running(start(chromium.get(), chromedriver.get())), Running.class)
			.driver();
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		command("Emulation.clearDeviceMetricsOverride", Map.of());
		command("Emulation.setEmulatedMedia", Map.of("features", List.of()));
		command("Storage.clearDataForOrigin", Map.of("origin", "*", "storageTypes", "all"));
		this.driver.manage().deleteAllCookies();
		this.driver.get("about:blank");
		complaints();
	}

	private static Optional<Path> onPath(String... names) {
		return Stream.of(names)
			.flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
				.map(folder -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	private static ChromeDriver start(Path chromium, Path chromedriver) {
		ChromeOptions options = new ChromeOptions();
		options.setBinary(chromium.toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--lang=en-US", "--window-size=1280,900");
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		options.setCapability("goog:loggingPrefs", logging);
		ChromeDriver driver = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(chromedriver.toFile()).build(), options);
		driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
		return driver;
	}

	/** Loads a page anew, also if only its fragment is another one. */
	void open(String url) {
		this.driver.get("about:blank");
		this.driver.get(url);
	}

	/**
	 * Has timers of the page, which are of five seconds, end after a tenth of a second,
	 * from the next page on.
	 */
	AutoCloseable fastTimers() {
		Object id = command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				const slowly = window.setTimeout;
				window.setTimeout = (task, millis, ...more) => slowly(task, millis === 5000 ? 100 : millis, ...more);
				""")).get("identifier");
		return () -> command("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", id));
	}

	void phone() {
		command("Emulation.setDeviceMetricsOverride",
				Map.of("width", 360, "height", 740, "deviceScaleFactor", 2, "mobile", true));
	}

	void prefersDark() {
		command("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
	}

	Map<String, Object> command(String name, Map<String, Object> parameters) {
		return this.driver.executeCdpCommand(name, parameters);
	}

	Object script(String javascript, Object... arguments) {
		return this.driver.executeScript(javascript, arguments);
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/** Waits until the page has such an element. */
	WebElement see(String selector) {
		return await().atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> this.driver.findElement(By.cssSelector(selector)), WebElement::isDisplayed);
	}

	/** Waits until an element with the text is shown. */
	WebElement see(String selector, String text) {
		return await().atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> this.driver.findElements(By.cssSelector(selector))
				.stream()
				.filter(element -> element.getText().contains(text))
				.findFirst()
				.orElseThrow(), WebElement::isDisplayed);
	}

	/**
	 * What the browser wrote to its console since the last call: errors of scripts, what
	 * the CSP refused, failed requests.
	 */
	List<String> complaints() {
		return this.driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
	}

	/** What axe-core finds at least serious on the page as it is shown, one line each. */
	@SuppressWarnings("unchecked")
	List<String> barriers() {
		if (Boolean.FALSE.equals(script("return Boolean(window.axe)"))) {
			try (InputStream axe = Browser.class.getResourceAsStream("/axe.min.js")) {
				script(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new IllegalStateException("axe.min.js cannot be read", ex);
			}
		}
		return (List<String>) this.driver.executeAsyncScript("""
				const done = arguments[0];
				axe.run({ resultTypes: ['violations'] }).then(result => done(result.violations
				    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
				    .flatMap(({ impact, id, nodes }) => nodes.slice(0, 5).map(node =>
				        `${impact} ${id} at ${node.target.join(' ')}: ${node.failureSummary}`))),
				  failure => done([`axe: ${failure.message}`]));
				""");
	}

	private record Running(ChromeDriver driver) implements AutoCloseable {

		@Override
		public void close() {
			this.driver.quit();
		}

	}

}
