package io.redelay.samples.shop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.awaitility.Awaitility.await;

/**
 * A browser without a window, one for all tests of a JVM. Tests are skipped where there
 * is none; {@code .ci/run} installs one. Each test begins signed out, at the width of a
 * desktop. The page of a test that fails is kept in {@code target/screenshots}.
 */
final class Browser implements BeforeAllCallback, BeforeEachCallback, AfterTestExecutionCallback {

	private static final Path SCREENSHOTS = Path.of("target", "screenshots");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Browser.class);

	private ChromeDriver driver;

	@Override
	public void beforeAll(ExtensionContext context) {
		Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
		Optional<Path> chromedriver = onPath("chromedriver");
		Assumptions.assumeTrue(chromium.isPresent() && chromedriver.isPresent(),
				"there is no chromium and chromedriver on the PATH: apt-get install chromium chromium-driver");
		this.driver = context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent(Running.class, (key) -> new Running(start(chromium.get(), chromedriver.get())),
					Running.class)
			.driver();
	}

	private static Optional<Path> onPath(String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
				.map((folder) -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	private static ChromeDriver start(Path chromium, Path chromedriver) {
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions().setBinary(chromium.toFile());
		// A container has no sandbox for root, and little shared memory.
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--lang=en-US", "--window-size=1280,900");
		options.setCapability("goog:loggingPrefs", logging);
		ChromeDriver driver = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(chromedriver.toFile()).build(), options);
		driver.manage().timeouts().scriptTimeout(PATIENCE);
		return driver;
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.driver.manage().deleteAllCookies();
		this.driver.manage().window().setSize(new Dimension(1280, 900));
		this.driver.get("about:blank");
		complaints();
	}

	@Override
	public void afterTestExecution(ExtensionContext context) throws IOException {
		if (context.getExecutionException().isPresent()) {
			screenshot(SCREENSHOTS.resolve(
					context.getRequiredTestClass().getSimpleName() + "-" + context.getRequiredTestMethod().getName()));
		}
	}

	/**
	 * Writes what the browser shows.
	 * @param file where to, without {@code .png}
	 */
	void screenshot(Path file) throws IOException {
		Files.createDirectories(file.toAbsolutePath().getParent());
		Files.write(file.resolveSibling(file.getFileName() + ".png"), this.driver.getScreenshotAs(OutputType.BYTES));
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/**
	 * Opens a page anew, also if only its fragment is another one.
	 */
	void open(String url) {
		this.driver.get("about:blank");
		this.driver.get(url);
	}

	Object script(String javascript, Object... arguments) {
		return this.driver.executeScript(javascript, arguments);
	}

	/**
	 * Waits until the page shows such an element.
	 */
	WebElement see(String selector) {
		return await().atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> this.driver.findElement(By.cssSelector(selector)), WebElement::isDisplayed);
	}

	/**
	 * Waits until the page shows such an element with a text.
	 */
	WebElement see(String selector, String text) {
		return await().atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> all(selector).stream()
				.filter((element) -> element.getText().contains(text))
				.findFirst()
				.orElseThrow(), WebElement::isDisplayed);
	}

	/**
	 * The elements that the page has now.
	 */
	List<WebElement> all(String selector) {
		return this.driver.findElements(By.cssSelector(selector));
	}

	/**
	 * What the browser wrote to its console since the last call, or since the test began.
	 */
	List<String> complaints() {
		return this.driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
	}

	private record Running(ChromeDriver driver) implements AutoCloseable {

		@Override
		public void close() {
			this.driver.quit();
		}

	}

}
