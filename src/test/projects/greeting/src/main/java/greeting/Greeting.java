package greeting;

public record Greeting(String name) {
    public String text() {
        return "Hello, " + name + "!";
    }
}
