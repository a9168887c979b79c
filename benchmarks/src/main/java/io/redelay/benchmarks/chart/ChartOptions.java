package io.redelay.benchmarks.chart;

import java.nio.file.Path;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link Charts}.
 *
 * @param source the folder with the lines of JSON
 * @param charts the folder for the charts
 * @param tables the folder for the tables
 */
record ChartOptions(@DefaultValue("target") Path source, @DefaultValue("../docs/src/docs/asciidoc/images") Path charts,
		@DefaultValue("../docs/src/docs/asciidoc/figures") Path tables) {

}
