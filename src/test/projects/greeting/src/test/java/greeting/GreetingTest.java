package greeting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GreetingTest {
    @Test
    void greetsByName() {
        assertEquals(System.getProperty("greeting.word") + ", Ada!", new Greeting("Ada").text());
    }
}
