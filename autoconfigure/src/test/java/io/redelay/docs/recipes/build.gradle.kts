plugins {
	java
	id("org.springframework.boot") version "4.1.1"
}

repositories {
	mavenLocal()
	mavenCentral()
}

dependencies {
	implementation(platform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES))
	implementation(platform("io.redelay:redelay-bom:0.1.0-SNAPSHOT"))
	implementation("io.redelay:redelay-spring-boot-starter")
	testAndDevelopmentOnly("io.redelay:redelay-embedded-redis:0.1.0-SNAPSHOT")
	testImplementation("io.redelay:redelay-spring-boot-starter-test")
	testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test {
	useJUnitPlatform()
}
